import type { ReactNode } from "react"

/** Drawn for Phylon on a 16-pixel grid with a 1.5-pixel stroke. */
const DRAWINGS = {
  alert: <path d="M8 2.5 14 13H2L8 2.5ZM8 6.5v3M8 11.4v.1" />,
  arrowDown: <path d="M8 3v10M4 9l4 4 4-4" />,
  arrowUp: <path d="M8 13V3M4 7l4-4 4 4" />,
  check: <path d="m3 8.5 3.2 3.2L13 5" />,
  chevron: <path d="m4 6 4 4 4-4" />,
  close: <path d="m4 4 8 8M12 4l-8 8" />,
  columns: <path d="M2.5 3.5h11v9h-11zM6.2 3.5v9M9.8 3.5v9" />,
  copy: <path d="M5.5 5.5h7.5v8H5.5zM3 10.5v-8h7.5" />,
  device: (
    <path d="M4.5 4.5h7v7h-7zM6.5 2v2.5M9.5 2v2.5M6.5 11.5V14M9.5 11.5V14M2 6.5h2.5M2 9.5h2.5M11.5 6.5H14M11.5 9.5H14" />
  ),
  download: <path d="M8 2.5v7.5M4.8 7 8 10.2 11.2 7M3 13.3h10" />,
  extend: <path d="M3 8h10M9 4l4 4-4 4" />,
  info: <path d="M8 14A6 6 0 1 0 8 2a6 6 0 0 0 0 12ZM8 7.3v3.5M8 5.1v.1" />,
  key: <path d="M6 13a3 3 0 1 0 0-6 3 3 0 0 0 0 6ZM8.2 7.8 13 3M10.5 5.5l2 2" />,
  lock: <path d="M3.5 7.5h9v6h-9zM5.5 7.5V5a2.5 2.5 0 0 1 5 0v2.5" />,
  moon: <path d="M13 9.6A5.6 5.6 0 0 1 6.4 3a5.6 5.6 0 1 0 6.6 6.6Z" />,
  more: <path d="M3.5 8v.1M8 8v.1M12.5 8v.1" strokeWidth={2.4} />,
  pause: <path d="M5.5 3.5v9M10.5 3.5v9" />,
  play: <path d="M5 3.2v9.6l8-4.8-8-4.8Z" />,
  fork: <path d="M5 2.5v4.2c0 1.3.8 2 2 2h2c1.2 0 2-.7 2-2V2.5M8 8.7v4.8" />,
  plus: <path d="M8 3v10M3 8h10" />,
  retry: <path d="M13 8a5 5 0 1 1-1.6-3.7M13 2.5v2.8h-2.8" />,
  search: <path d="M7 11.5a4.5 4.5 0 1 0 0-9 4.5 4.5 0 0 0 0 9ZM10.4 10.4l3.1 3.1" />,
  star: <path d="m8 1.8 1.9 4 4.3.6-3.1 3 .8 4.3L8 11.6l-3.9 2.1.8-4.3-3.1-3 4.3-.6L8 1.8Z" />,
  stop: <path d="M4 4h8v8H4z" />,
  sun: (
    <path d="M8 10.8a2.8 2.8 0 1 0 0-5.6 2.8 2.8 0 0 0 0 5.6ZM8 1.6v1.2M8 13.2v1.2M1.6 8h1.2M13.2 8h1.2M3.5 3.5l.8.8M11.7 11.7l.8.8M12.5 3.5l-.8.8M4.3 11.7l-.8.8" />
  ),
  system: <path d="M2.5 3.5h11v7.5h-11zM6 13.5h4M8 11v2.5" />,
  people: (
    <path d="M6 7.5a2.25 2.25 0 1 0 0-4.5 2.25 2.25 0 0 0 0 4.5ZM1.8 13c.3-2.4 2-3.6 4.2-3.6s3.9 1.2 4.2 3.6M10.5 3.2a2.25 2.25 0 0 1 0 4.1M12 9.7c1.3.4 2 1.5 2.2 3.3" />
  ),
  signOut: <path d="M9.5 3h-6v10h6M7 8h7M11.5 5.5 14 8l-2.5 2.5" />,
  template: <path d="M3 2.5h7l3 3v8H3zM10 2.5v3h3M5.5 8.5h5M5.5 11h3.5" />,
  trash: <path d="M3 4.5h10M6.5 4.5v-2h3v2M4.5 4.5l.6 9h5.8l.6-9M7 7v4M9 7v4" />,
} satisfies Record<string, ReactNode>

export type IconName = keyof typeof DRAWINGS

/** Decoration only: whatever it means must also be said in words beside it or in an aria-label. */
export function Icon({
  name,
  size = 16,
  filled = false,
}: {
  name: IconName
  size?: number
  filled?: boolean
}) {
  return (
    <svg
      aria-hidden="true"
      className="shrink-0"
      fill={filled ? "currentColor" : "none"}
      height={size}
      stroke="currentColor"
      strokeLinecap="round"
      strokeLinejoin="round"
      strokeWidth={1.5}
      viewBox="0 0 16 16"
      width={size}
    >
      {DRAWINGS[name]}
    </svg>
  )
}
