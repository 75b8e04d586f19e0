import { DropdownMenu } from "radix-ui"
import { Fragment } from "react"
import type { ExportRunData } from "@/api/generated/types.gen"
import type { Run } from "@/api/types"
import { Button } from "@/ui/Button"
import { classes } from "@/ui/classes"
import { copyText } from "@/ui/copyText"
import { Icon } from "@/ui/Icon"
import { MENU, MENU_HEADING, MENU_ITEM } from "@/ui/menuStyle"

type Table = ExportRunData["path"]["table"]
type Format = ExportRunData["path"]["format"]

const TABLES: readonly { table: Table; heading: string }[] = [
  { table: "metrics", heading: "Metrics, all values" },
  { table: "lineage", heading: "Lineage, one row per span" },
  { table: "interruptions", heading: "Interruptions" },
]
const FORMATS: readonly { format: Format; label: string }[] = [
  { format: "csv", label: "CSV" },
  { format: "parquet", label: "Parquet" },
]
/** Formats of phylogeny programs, of Ray Tune, and plain JSON. */
const TREES: readonly { label: string; path: string; name: string }[] = [
  { label: "Newick", path: "lineage.newick", name: "lineage.nwk" },
  { label: "Ray Tune", path: "lineage.ray.zip", name: "lineage-ray.zip" },
  { label: "JSON", path: "lineage", name: "lineage.json" },
]
const DEFAULT_SERVICE = "http://127.0.0.1:8787"

/** The command that writes TensorBoard event files; it names the service unless that is the CLI's default. */
export function tensorboardCommand(runId: number, origin: string): string {
  const url = origin === DEFAULT_SERVICE ? "" : ` --url ${origin}`
  return `phylon export ${runId} --tensorboard --out run-${runId}${url}`
}

/** A run's results for other programs: files to download, and the command for TensorBoard. */
export function ExportMenu({ run }: { run: Run }) {
  const command = tensorboardCommand(run.id, window.location.origin)
  return (
    <DropdownMenu.Root>
      <DropdownMenu.Trigger asChild>
        <Button icon="download" variant="ghost">
          Export
        </Button>
      </DropdownMenu.Trigger>
      <DropdownMenu.Portal>
        <DropdownMenu.Content
          align="end"
          className={classes(MENU, "w-72 max-w-[calc(100vw-24px)]")}
          collisionPadding={12}
          sideOffset={6}
        >
          {TABLES.map(({ table, heading }) => (
            <Fragment key={table}>
              <DropdownMenu.Label className={classes(MENU_HEADING, "not-first:mt-1")}>
                {heading}
              </DropdownMenu.Label>
              {FORMATS.map(({ format, label }) => (
                <DropdownMenu.Item asChild key={format}>
                  <a
                    aria-label={`Download ${table} as ${label}`}
                    className={MENU_ITEM}
                    download
                    href={`/api/v1/runs/${run.id}/export/${table}.${format}`}
                  >
                    <Icon name="download" size={14} />
                    {label}
                    <span className="grow text-right text-[13px] text-ink-faint">{`${table}.${format}`}</span>
                  </a>
                </DropdownMenu.Item>
              ))}
            </Fragment>
          ))}
          <DropdownMenu.Label className={classes(MENU_HEADING, "mt-1")}>
            Lineage, as a tree
          </DropdownMenu.Label>
          {TREES.map(({ label, path, name }) => (
            <DropdownMenu.Item asChild key={path}>
              <a
                aria-label={`Download lineage as ${label}`}
                className={MENU_ITEM}
                download={`run-${run.id}-${name}`}
                href={`/api/v1/runs/${run.id}/${path}`}
              >
                <Icon name="download" size={14} />
                {label}
                <span className="grow text-right text-[13px] text-ink-faint">{name}</span>
              </a>
            </DropdownMenu.Item>
          ))}
          <DropdownMenu.Separator className="my-1.5 h-px bg-line" />
          <DropdownMenu.Label className={MENU_HEADING}>TensorBoard</DropdownMenu.Label>
          <DropdownMenu.Item
            className={classes(MENU_ITEM, "items-start")}
            onSelect={() => copyText(command, "The command is on the clipboard")}
            textValue="Copy the command"
          >
            <span className="mt-0.5">
              <Icon name="copy" size={14} />
            </span>
            <span className="min-w-0 grow">
              Copy the command
              <code className="mt-1 flex flex-wrap gap-x-[1ch] font-mono text-[12px] text-ink-soft leading-5">
                {command.split(" ").map((word) => (
                  <span className="max-w-full break-words" key={word}>
                    {word}
                  </span>
                ))}
              </code>
            </span>
          </DropdownMenu.Item>
        </DropdownMenu.Content>
      </DropdownMenu.Portal>
    </DropdownMenu.Root>
  )
}
