import { defaultKeymap, history, historyKeymap } from "@codemirror/commands"
import { yaml } from "@codemirror/lang-yaml"
import { HighlightStyle, indentOnInput, syntaxHighlighting } from "@codemirror/language"
import { type Diagnostic, lintGutter, setDiagnostics } from "@codemirror/lint"
import { EditorState, type Extension } from "@codemirror/state"
import { drawSelection, EditorView, highlightActiveLine, keymap, lineNumbers } from "@codemirror/view"
import { tags } from "@lezer/highlight"
import { useEffect, useRef } from "react"
import { nonce } from "@/lib/nonce"

interface YamlEditorProps {
  value: string
  label: string
  onChange?: (value: string) => void
  diagnostics?: readonly Diagnostic[]
  className?: string
}

const HIGHLIGHT = HighlightStyle.define([
  { tag: [tags.propertyName, tags.definition(tags.propertyName)], color: "var(--code-key)" },
  { tag: [tags.string, tags.content], color: "var(--code-string)" },
  { tag: tags.comment, color: "var(--ink-faint)", fontStyle: "italic" },
  { tag: [tags.punctuation, tags.separator, tags.squareBracket, tags.brace], color: "var(--ink-faint)" },
])

const THEME = EditorView.theme({
  "&": { backgroundColor: "transparent", color: "var(--ink)", fontSize: "13px", height: "100%" },
  "&.cm-focused": { outline: "none" },
  ".cm-scroller": { fontFamily: "var(--font-mono)", lineHeight: "1.65", overflow: "auto" },
  ".cm-content": { padding: "12px 0", caretColor: "var(--ink)" },
  ".cm-gutters": {
    // Opaque: long lines scroll beneath it.
    backgroundColor: "var(--surface)",
    border: "none",
    color: "var(--ink-faint)",
    paddingLeft: "4px",
  },
  ".cm-activeLine, .cm-activeLineGutter": {
    backgroundColor: "color-mix(in srgb, var(--accent) 6%, transparent)",
  },
  ".cm-selectionBackground, &.cm-focused .cm-selectionBackground": {
    backgroundColor: "var(--accent-soft) !important",
  },
  ".cm-cursor": { borderLeftColor: "var(--ink)" },
  ".cm-tooltip": {
    backgroundColor: "var(--raised)",
    border: "1px solid var(--line)",
    borderRadius: "8px",
    boxShadow: "var(--shadow-pop)",
    overflow: "hidden",
  },
  ".cm-diagnostic-error": { borderLeft: "3px solid var(--bad)", padding: "6px 10px" },
  ".cm-lintRange-error": {
    backgroundImage: "none",
    borderBottom: "2px dotted var(--bad)",
    backgroundColor: "color-mix(in srgb, var(--bad) 10%, transparent)",
  },
  ".cm-gutter-lint": { width: "14px" },
  ".cm-gutter-lint .cm-gutterElement": { padding: "0" },
  ".cm-lint-marker": { width: "8px", height: "8px", marginTop: "7px" },
  ".cm-lint-marker-error": { content: "''", backgroundColor: "var(--bad)", borderRadius: "50%" },
})

function extensions(label: string, onChange: ((value: string) => void) | undefined): Extension {
  const common = [
    lineNumbers(),
    yaml(),
    syntaxHighlighting(HIGHLIGHT),
    THEME,
    EditorView.cspNonce.of(nonce()),
    // The index says that the keyboard reaches, and so scrolls, what is only read, too.
    EditorView.contentAttributes.of({ "aria-label": label, spellcheck: "false", tabindex: "0" }),
  ]
  if (!onChange) return [common, EditorState.readOnly.of(true), EditorView.lineWrapping]
  return [
    common,
    history(),
    drawSelection(),
    highlightActiveLine(),
    indentOnInput(),
    lintGutter(),
    // Tab is left alone, so that the keyboard can leave the editor.
    keymap.of([...defaultKeymap, ...historyKeymap]),
    EditorView.updateListener.of((update) => update.docChanged && onChange(update.state.doc.toString())),
  ]
}

/** A YAML text with line numbers and colours; without `onChange` it can only be read. */
export function YamlEditor({ value, label, onChange, diagnostics, className }: YamlEditorProps) {
  const host = useRef<HTMLDivElement>(null)
  const view = useRef<EditorView | null>(null)
  const latest = useRef({ value, onChange })
  latest.current = { value, onChange }
  const editable = onChange !== undefined

  useEffect(() => {
    const change = editable ? (next: string) => latest.current.onChange?.(next) : undefined
    const state = EditorState.create({ doc: latest.current.value, extensions: extensions(label, change) })
    const built = new EditorView({ state, parent: host.current! })
    view.current = built
    return () => {
      built.destroy()
      view.current = null
    }
  }, [editable, label])

  useEffect(() => {
    const current = view.current
    if (!current || current.state.doc.toString() === value) return
    current.dispatch({ changes: differenceOf(current.state.doc.toString(), value) })
  }, [value])

  useEffect(() => {
    const current = view.current
    if (!current || !diagnostics) return
    const length = current.state.doc.length
    const fitting = diagnostics.filter(({ to }) => to <= length)
    current.dispatch(setDiagnostics(current.state, fitting))
  }, [diagnostics])

  return <div className={className} ref={host} />
}

/** Only what differs is replaced, so that cursor and scroll position stay where they are. */
function differenceOf(old: string, next: string): { from: number; to: number; insert: string } {
  const shorter = Math.min(old.length, next.length)
  let start = 0
  while (start < shorter && old[start] === next[start]) start++
  let end = 0
  while (end < shorter - start && old[old.length - 1 - end] === next[next.length - 1 - end]) end++
  return { from: start, to: old.length - end, insert: next.slice(start, next.length - end) }
}
