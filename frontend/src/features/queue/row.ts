/** The shape of a job's row: what it is, what is to be said of it, and its menu; on a phone the second part goes below. */

export const ROW =
  "grid grid-cols-[minmax(0,1fr)_36px] items-start gap-x-4 gap-y-1 px-4 py-3 sm:px-5 lg:grid-cols-[minmax(0,4fr)_minmax(0,6fr)_36px]"

export const ROW_FACTS =
  "col-span-full row-start-2 min-w-0 text-[13px] lg:col-span-1 lg:col-start-2 lg:row-start-1"
