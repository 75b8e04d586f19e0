/**
 * Colours of data. Returns and hyper-parameters use a sequential scale whose lightness rises evenly (violet, blue, green,
 * yellow), so that it reads in grey and for every kind of colour vision. Members use a categorical palette by slot.
 */

export type Theme = "light" | "dark"

interface Stop {
  lightness: number
  chroma: number
  hue: number
}

/** Control points in OKLCH; lightness is placed evenly, the ends keep contrast with the theme's paper. */
const STOPS: Record<Theme, readonly Stop[]> = {
  light: [
    { lightness: 0.32, chroma: 0.11, hue: 305 },
    { lightness: 0.44, chroma: 0.1, hue: 265 },
    { lightness: 0.57, chroma: 0.095, hue: 220 },
    { lightness: 0.7, chroma: 0.13, hue: 160 },
    { lightness: 0.83, chroma: 0.165, hue: 112 },
  ],
  dark: [
    { lightness: 0.4, chroma: 0.13, hue: 302 },
    { lightness: 0.52, chroma: 0.105, hue: 262 },
    { lightness: 0.65, chroma: 0.1, hue: 218 },
    { lightness: 0.79, chroma: 0.14, hue: 158 },
    { lightness: 0.92, chroma: 0.16, hue: 108 },
  ],
}

const PALETTE: Record<Theme, readonly string[]> = {
  light: ["#0072b2", "#d55e00", "#008f68", "#b0508a", "#b97a00", "#3a9bd9", "#7d7a00", "#5b6470"],
  dark: ["#4c9be8", "#ff8a4c", "#35c79a", "#ee9ccb", "#f0b840", "#93d4ff", "#dcd65e", "#b8c0cc"],
}

/** Line patterns distinguish members that share a colour. */
const DASHES: readonly (readonly number[])[] = [[], [6, 3], [2, 3], [8, 3, 2, 3]]

export interface Mark {
  colour: string
  dash: readonly number[]
}

/** Colour and line pattern of a member; stable for its slot, whatever else is shown. */
export function memberMark(slot: number, theme: Theme): Mark {
  const palette = PALETTE[theme]
  return {
    colour: palette[slot % palette.length]!,
    dash: DASHES[Math.floor(slot / palette.length) % DASHES.length]!,
  }
}

function toSrgb({ lightness, chroma, hue }: Stop): [number, number, number] {
  const angle = (hue * Math.PI) / 180
  const a = chroma * Math.cos(angle)
  const b = chroma * Math.sin(angle)
  const long = (lightness + 0.3963377774 * a + 0.2158037573 * b) ** 3
  const medium = (lightness - 0.1055613458 * a - 0.0638541728 * b) ** 3
  const short = (lightness - 0.0894841775 * a - 1.291485548 * b) ** 3
  const linear = [
    4.0767416621 * long - 3.3077115913 * medium + 0.2309699292 * short,
    -1.2684380046 * long + 2.6097574011 * medium - 0.3413193965 * short,
    -0.0041960863 * long - 0.7034186147 * medium + 1.707614701 * short,
  ]
  return linear.map((value) => {
    const clipped = Math.min(1, Math.max(0, value))
    return Math.round(255 * (clipped <= 0.0031308 ? 12.92 * clipped : 1.055 * clipped ** (1 / 2.4) - 0.055))
  }) as [number, number, number]
}

function between(stops: readonly Stop[], share: number): Stop {
  const place = share * (stops.length - 1)
  const index = Math.min(stops.length - 2, Math.floor(place))
  const from = stops[index]!
  const to = stops[index + 1]!
  const weight = place - index
  const mix = (low: number, high: number) => low + (high - low) * weight
  return {
    lightness: mix(from.lightness, to.lightness),
    chroma: mix(from.chroma, to.chroma),
    hue: mix(from.hue, to.hue),
  }
}

const RAMPS: Partial<Record<Theme, readonly string[]>> = {}

function ramp(theme: Theme): readonly string[] {
  RAMPS[theme] ??= Array.from({ length: 256 }, (_, index) => {
    const [red, green, blue] = toSrgb(between(STOPS[theme], index / 255))
    return `rgb(${red} ${green} ${blue})`
  })
  return RAMPS[theme]
}

/** Colour of a share between 0 (lowest) and 1 (highest); shares outside are held at the ends. */
export function sequentialColour(share: number, theme: Theme): string {
  const index = Math.round(255 * Math.min(1, Math.max(0, share)))
  return ramp(theme)[index]!
}

/** A CSS gradient of the whole scale, for legends. */
export function sequentialGradient(theme: Theme): string {
  const colours = Array.from({ length: 9 }, (_, index) => sequentialColour(index / 8, theme))
  return `linear-gradient(to right, ${colours.join(", ")})`
}

/** Where a value lies between two bounds, on a linear or a logarithmic scale; NaN when it cannot be said. */
export function shareBetween(value: number, low: number, high: number, logarithmic: boolean): number {
  if (!Number.isFinite(value)) return Number.NaN
  if (low === high) return 0.5
  if (logarithmic && low > 0 && value > 0) return Math.log(value / low) / Math.log(high / low)
  return (value - low) / (high - low)
}
