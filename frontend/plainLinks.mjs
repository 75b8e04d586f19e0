// After the client is generated: links to package pages in its comments become the packages' names.
import { readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"

const folder = process.argv[2]
for (const name of readdirSync(folder, { recursive: true })) {
  if (!name.endsWith(".ts")) continue
  const file = join(folder, name)
  const text = readFileSync(file, "utf8")
  const plain = text.replace(/\{@link https:\/\/[^\s}]+ (`[^`]+`)\}/g, "$1")
  if (plain !== text) writeFileSync(file, plain)
}
