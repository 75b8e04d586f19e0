import { notify, notifyFailure } from "@/ui/Toasts"

/** Copies a text to the clipboard and shows `done`, or why copying failed. */
export async function copyText(text: string, done: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text)
    notify({ tone: "good", title: done })
  } catch (error) {
    notifyFailure("The browser did not allow copying", error)
  }
}
