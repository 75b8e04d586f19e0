import { useMutation, useQueryClient } from "@tanstack/react-query"
import { useNavigate } from "@tanstack/react-router"
import { type ChangeEvent, type FormEvent, useState } from "react"
import { createOnce } from "@/api/createOnce"
import { createImport } from "@/api/generated/sdk.gen"
import { useSubmission } from "@/features/account/useMe"
import { nameOf, readFiles, resultsAmong } from "@/features/imports/readFiles"
import { Button, buttonStyle } from "@/ui/Button"
import { Field } from "@/ui/Field"
import { FormError } from "@/ui/FormError"
import { Icon } from "@/ui/Icon"
import { Panel } from "@/ui/Panel"
import { notify } from "@/ui/Toasts"

const EMPTY = { name: "", environment: "", algorithm: "", returnName: "" }

/** Stores results of other programs as an experiment that can be compared, and opens it. */
export function ResultsImport() {
  const queryClient = useQueryClient()
  const navigate = useNavigate()
  const { project, whyNot } = useSubmission()
  const [files, setFiles] = useState<readonly File[]>([])
  const [form, setForm] = useState(EMPTY)
  const store = useMutation({
    mutationFn: async () => {
      const body = {
        name: form.name,
        files: await readFiles(files),
        environment: form.environment || null,
        algorithm: form.algorithm || null,
        return_name: form.returnName || null,
        project,
      }
      return (await createOnce((headers) => createImport({ body, headers, throwOnError: true }))).data
    },
    onSuccess: async ({ id, name, runs }) => {
      notify({ tone: "good", title: `${name} is imported`, detail: `${runs.length} runs` })
      await queryClient.invalidateQueries({ queryKey: ["experiments"] })
      await navigate({ to: "/experiments/$id", params: { id } })
    },
  })

  function choose(event: ChangeEvent<HTMLInputElement>) {
    const chosen = resultsAmong([...(event.target.files ?? [])])
    event.target.value = "" // so that the same file can be chosen again
    if (chosen.length === 0) return
    setFiles(chosen)
    setForm((old) => ({ ...old, name: nameOf(chosen) }))
    store.reset()
  }

  function submit(event: FormEvent) {
    event.preventDefault()
    store.mutate()
  }

  const text = (name: keyof typeof EMPTY) => ({
    value: form[name],
    onChange: (event: ChangeEvent<HTMLInputElement>) => setForm({ ...form, [name]: event.target.value }),
  })
  return (
    <Panel title="Results of other programs">
      <p className="max-w-3xl text-pretty text-ink-soft">
        A CSV file with the columns <code>step</code> and <code>return</code> (and <code>seed</code>,{" "}
        <code>seconds</code>, <code>final</code> where you have them), SR-SAC's text files, the folder of a
        Ray Tune experiment, or TensorBoard's event files. They become an experiment with a run per seed that
        can be organised and compared, and never trained.
      </p>
      <form className="mt-4 space-y-4" onSubmit={submit}>
        <div className="flex flex-wrap items-center gap-2">
          <FileButton label="Choose result files" onChange={choose} />
          <FileButton folder label="Choose a folder" onChange={choose} />
          <span className="text-ink-soft" role="status">
            {describe(files)}
          </span>
        </div>
        {files.length > 0 && (
          <>
            <div className="grid max-w-4xl gap-4 sm:grid-cols-2">
              <Field label="Name" pattern="[A-Za-z0-9][A-Za-z0-9._\-]*" required {...text("name")} />
              <Field
                hint="Its id, such as HalfCheetah-v5: it is compared with experiments of the same"
                label="Environment"
                {...text("environment")}
              />
              <Field label="Algorithm" {...text("algorithm")} />
              <Field
                hint="What the files call it; left empty, the usual names are looked for"
                label="Name of the return"
                {...text("returnName")}
              />
            </div>
            <FormError error={store.error} />
            <Button busy={store.isPending} reason={whyNot} type="submit" variant="primary">
              Import
            </Button>
          </>
        )}
      </form>
    </Panel>
  )
}

interface FileButtonProps {
  label: string
  folder?: boolean
  onChange: (event: ChangeEvent<HTMLInputElement>) => void
}

function FileButton({ label, folder = false, onChange }: FileButtonProps) {
  return (
    <label className={`${buttonStyle("secondary")} cursor-pointer focus-within:outline-2`}>
      <Icon name="plus" />
      {label}
      <input className="sr-only" multiple onChange={onChange} type="file" {...(folder && FOLDER)} />
    </label>
  )
}

/** React does not know the attribute, browsers do. */
const FOLDER = { webkitdirectory: "" }

function describe(files: readonly File[]): string {
  if (files.length === 0) return "No file chosen"
  const megabytes = files.reduce((sum, { size }) => sum + size, 0) / 2 ** 20
  return `${files.length === 1 ? "1 file" : `${files.length} files`}, ${megabytes.toFixed(megabytes < 1 ? 2 : 1)} MB`
}
