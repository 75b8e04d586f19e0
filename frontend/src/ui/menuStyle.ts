/** The look of every menu, whatever is in it. */

export const MENU = "rising z-40 min-w-48 rounded-xl border border-line bg-raised p-1.5 shadow-pop"

export const MENU_HEADING = "eyebrow px-2.5 py-1.5"

export const MENU_ITEM =
  "flex cursor-pointer select-none items-center gap-2 rounded-lg px-2.5 py-1.5 outline-none data-[highlighted]:bg-sunken"
