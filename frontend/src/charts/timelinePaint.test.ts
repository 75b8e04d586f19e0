import { beforeEach, describe, expect, it } from "vitest"
import { paintOverlay, paintTimeline, type TimelinePaint } from "@/charts/timelinePaint"
import { memberMark } from "@/lib/colour"
import { layoutLineage } from "@/lib/lineage/layoutLineage"
import { decodeSpan } from "@/lib/lineage/spans"
import type { Palette } from "@/lib/palette"
import { runLineage } from "@/testing/samples"

/** One drawing call with the state of the context that decides how it looks. */
interface Mark {
  call: string
  values: readonly unknown[]
  fill: unknown
  stroke: unknown
  alpha: unknown
  width: unknown
}

const DRAWN = new Set(["fillRect", "fillText", "stroke", "fill", "bezierCurveTo", "arc", "clearRect"])

/** A context that writes down what is drawn, with save and restore as a canvas has them. */
function recordingContext() {
  const marks: Mark[] = []
  let state: Record<string, unknown> = { globalAlpha: 1 }
  const saved: Record<string, unknown>[] = []
  const context = new Proxy({} as CanvasRenderingContext2D, {
    get: (_, name: string) => {
      if (name === "save") return () => saved.push({ ...state })
      if (name === "restore") return () => (state = saved.pop()!)
      if (name in state) return state[name]
      return (...values: unknown[]) => {
        if (!DRAWN.has(name)) return
        const { fillStyle: fill, strokeStyle: stroke, globalAlpha: alpha, lineWidth: width } = state
        marks.push({ call: name, values, fill, stroke, alpha, width })
      }
    },
    set: (_, name: string, value) => {
      state[name] = value
      return true
    },
  })
  return { context, marks, open: saved }
}

const palette = {
  theme: "light",
  ink: "ink",
  "ink-soft": "ink-soft",
  "ink-faint": "ink-faint",
  line: "line",
  "line-strong": "line-strong",
  surface: "surface",
  sunken: "sunken",
  accent: "accent",
  warn: "warn",
  bad: "bad",
} satisfies Palette

// 6000 steps on 600 pixels; exploits at x = 250 (span 4 in slot 3) and x = 450 (span 5 in slot 1).
const layout = layoutLineage({
  spans: runLineage().spans.map(decodeSpan),
  populationSize: 4,
  endStep: 6000,
  ticks: Float64Array.of(1000, 2000, 3000, 4000, 5000),
  toPixel: (step) => 50 + step / 10,
  frame: { left: 50, right: 650, top: 10, laneHeight: 20 },
})
const PLAIN: TimelinePaint = {
  palette,
  width: 700,
  left: 50,
  right: 650,
  colourOf: (bar, piece) => (piece.tick === null ? null : `span ${bar.span.id} tick ${piece.tick}`),
  lit: null,
  laneNotes: ["−300", "−200", "", "−100"],
  gridLines: [50, 250],
  marks: [],
  crowded: false,
  apart: true,
}
/** Founder 0 until step 2000, then span 4 until step 4000, then span 5. */
const LIT = new Map([
  [0, { from: 50, to: 250 }],
  [4, { from: 250, to: 450 }],
  [5, { from: 450, to: 650 }],
])

let canvas: ReturnType<typeof recordingContext>
beforeEach(() => {
  canvas = recordingContext()
})

function draw(change: Partial<TimelinePaint> = {}): Mark[] {
  paintTimeline(canvas.context, layout, { ...PLAIN, ...change })
  return canvas.marks
}

const texts = (marks: readonly Mark[]) =>
  marks.filter(({ call }) => call === "fillText").map(({ values }) => values[0])
const pieces = (marks: readonly Mark[]) =>
  marks.filter(({ call, fill }) => call === "fillRect" && String(fill).startsWith("span "))
const discs = (marks: readonly Mark[]) => marks.filter(({ call }) => call === "arc")

describe("the timeline", () => {
  it("clears what was there before it draws", () => expect(draw()[0]!.call).toBe("clearRect"))

  it("names each lane on the left and its note on the right", () =>
    expect(texts(draw())).toEqual(["M0", "−300", "M1", "−200", "M2", "", "M3", "−100"]))

  it("gives each lane the colour of its member", () => {
    const fills = draw().map(({ fill }) => fill)
    for (const slot of [0, 1, 2, 3]) expect(fills).toContain(memberMark(slot, "light").colour)
  })

  it("draws a piece of a bar in the colour of the evaluation at its end", () => {
    const first = pieces(draw()).find(({ fill }) => fill === "span 0 tick 0")!
    expect(first.values).toEqual([50, 15, 100.5, 10])
    expect(first.alpha).toBe(1)
  })

  it("draws the part after the last evaluation in the colour of lines", () => {
    const open = draw().filter(
      ({ call, fill, values }) => call === "fillRect" && fill === "line" && values[0] === 550,
    )
    expect(open).toHaveLength(4)
  })

  it("crosses out a member that diverged and colours nothing after it", () => {
    const [bar] = layout.bars
    const broken = { ...layout, bars: [{ ...bar!, divergedAt: 150 }] }
    paintTimeline(canvas.context, broken, PLAIN)
    const covers = canvas.marks.filter(({ fill, call }) => call === "fillRect" && fill === "sunken")
    expect(covers.map(({ values }) => values)).toEqual([[150, 15, 500, 10]])
    expect(canvas.marks.filter(({ call, stroke }) => call === "stroke" && stroke === "bad")).toHaveLength(1)
  })

  it("draws interruptions that are in sight over all lanes", () => {
    const lines: number[][] = []
    const context = new Proxy(canvas.context, {
      get: (target, name, receiver) =>
        name === "lineTo" && Reflect.get(target, "strokeStyle", receiver) === "warn"
          ? (...point: number[]) => lines.push(point)
          : Reflect.get(target, name, receiver),
    })
    paintTimeline(context, layout, { ...PLAIN, marks: [300, 900] })
    expect(lines).toEqual([[300, layout.height]])
  })

  it("marks each exploit with an arc from donor to receiver and a disc where it arrives", () => {
    const marks = draw()
    const curves = marks.filter(({ call }) => call === "bezierCurveTo").map(({ values }) => values)
    expect(curves.map((values) => [values[1], ...values.slice(4)])).toEqual([
      [20, 250, 80],
      [80, 450, 40],
    ])
    expect(discs(marks).map(({ values }) => values.slice(0, 3))).toEqual([
      [250, 80, 3.25],
      [450, 40, 3.25],
    ])
  })

  it("leaves the context as it found it", () => {
    draw({ lit: LIT })
    expect(canvas.open).toEqual([])
    expect(canvas.context.globalAlpha).toBe(1)
  })
})

describe("a selected ancestry", () => {
  it("fades everything, then draws the shared parts in full on top", () => {
    const alphas = pieces(draw({ lit: LIT })).map(({ fill, alpha }) => [String(fill).split(" ")[1], alpha])
    const of = (id: string) => [...new Set(alphas.filter(([span]) => span === id).map(([, alpha]) => alpha))]
    expect(of("0")).toEqual([0.16, 1])
    expect(of("2")).toEqual([0.16])
  })

  it("draws its arcs last, thicker and in the accent colour", () => {
    const only = new Map([...LIT].filter(([id]) => id !== 5))
    const marks = draw({ lit: only })
    expect(discs(marks).map(({ values, alpha, fill }) => [values[0], alpha, fill])).toEqual([
      [450, 0.1, "ink"],
      [250, 1, "accent"],
    ])
  })
})

describe("a crowded population", () => {
  it("names every fifth lane only and draws thin arcs without a rim", () => {
    const marks = draw({ crowded: true })
    expect(texts(marks)).toEqual(["M0", "−300"])
    expect(discs(marks).map(({ values, alpha }) => [values[2], alpha])).toEqual([
      [2, 0.75],
      [2, 0.75],
    ])
    const rims = (all: readonly Mark[]) =>
      all.filter(({ call, stroke, width }) => call === "stroke" && stroke === "surface" && Number(width) > 2)
    expect(rims(marks)).toEqual([])
    canvas = recordingContext()
    expect(rims(draw())).toHaveLength(2)
  })
})

describe("the overlay", () => {
  function drawOverlay(
    overlay: Partial<Parameters<typeof paintOverlay>[2]>,
    change: Partial<TimelinePaint> = {},
  ) {
    const nothing = { cursorX: null, slot: null, span: null, arc: null }
    paintOverlay(canvas.context, layout, { ...nothing, ...overlay }, { ...PLAIN, ...change })
    return canvas.marks.slice(1)
  }

  it("is empty without pointer and keyboard", () => expect(drawOverlay({})).toEqual([]))

  it("draws the cursor and the hovered span", () =>
    expect(drawOverlay({ cursorX: 300, span: 4 }).map(({ call, stroke }) => [call, stroke])).toEqual([
      ["stroke", "ink-faint"],
      ["stroke", "ink"],
    ]))

  it("rings the exploit under the keyboard", () => {
    const marks = drawOverlay({ arc: layout.arcs[0]! })
    expect(discs(marks)[0]!.values.slice(0, 3)).toEqual([250, 80, 6])
    expect(new Set(marks.map(({ stroke }) => stroke))).toEqual(new Set(["accent"]))
  })

  it("brackets the highlighted lane, and names it where a crowd left its name out", () => {
    const bracket = drawOverlay({ slot: 2 })
    expect(bracket.map(({ values }) => values.slice(0, 2))).toEqual([
      [50, 50],
      [50, 68.5],
    ])
    canvas = recordingContext()
    expect(texts(drawOverlay({ slot: 2 }, { crowded: true }))).toEqual(["M2", ""])
  })
})
