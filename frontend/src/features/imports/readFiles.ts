import type { ImportedFile } from "@/api/generated/types.gen"

/** What the service can read: CSV, text files per seed, Ray Tune's results, TensorBoard's event files. */
const RESULTS = /(\.csv|(^|\/)\d+\.txt|(^|\/)(result|params)\.json|tfevents[^/]*)$/i

export function pathOf(file: File): string {
  return file.webkitRelativePath || file.name
}

/** Those that hold results; all of them where none does, so that the service says what it expects. */
export function resultsAmong(files: readonly File[]): File[] {
  const results = files.filter((file) => RESULTS.test(pathOf(file)))
  return results.length > 0 ? results : [...files]
}

export async function readFiles(files: readonly File[]): Promise<ImportedFile[]> {
  return Promise.all(files.map(async (file) => ({ path: pathOf(file), content: await toBase64(file) })))
}

/** A name that the service takes, from that of the folder or of the file. */
export function nameOf(files: readonly File[]): string {
  const path = files[0] ? pathOf(files[0]) : ""
  const first = path.split("/")[0] ?? ""
  const stem = path.includes("/") ? first : first.replace(/\.[^.]*$/, "")
  return stem
    .replace(/[^A-Za-z0-9._-]+/g, "-")
    .replace(/^[._-]+/, "")
    .slice(0, 100)
}

function toBase64(file: File): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader()
    reader.onload = () => resolve(String(reader.result).replace(/^[^,]*,/, ""))
    reader.onerror = () => reject(new Error(`${pathOf(file)} could not be read`))
    reader.readAsDataURL(file)
  })
}
