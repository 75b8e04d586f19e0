/** A lineage that branches: one founder, three descendants. */
export function Logo({ size = 28 }: { size?: number }) {
  return (
    <svg aria-hidden="true" className="shrink-0" height={size} viewBox="0 0 32 32" width={size}>
      <rect className="fill-accent" height="32" rx="8" width="32" />
      <g fill="none" stroke="var(--on-accent)" strokeLinecap="round" strokeWidth="2.6">
        <path d="M5 22h7c6 0 5-13 15-13" />
        <path d="M12 22c7 0 8-5 15-5" opacity="0.75" />
        <path d="M11 22h5c5 0 6 3 11 3" opacity="0.55" />
      </g>
    </svg>
  )
}
