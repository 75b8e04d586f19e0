import { notify, notifyFailure } from "@/ui/Toasts"

/** Puts a text on the clipboard and tells the user, by `done`, or why not. */
export async function copyText(text: string, done: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text)
    notify({ tone: "good", title: done })
  } catch (error) {
    notifyFailure("The browser did not allow copying", error)
  }
}
