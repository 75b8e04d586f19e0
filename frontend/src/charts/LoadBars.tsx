interface LoadBarsProps {
  /** 0 to 1, the oldest first. */
  shares: readonly number[]
  label: string
  height?: number
}

const BAR = 5
const GAP = 1

/** A bar for each stretch of time, as high as it was busy. */
export function LoadBars({ shares, label, height = 36 }: LoadBarsProps) {
  const width = shares.length * (BAR + GAP) - GAP
  return (
    <svg
      aria-label={label}
      className="block w-full"
      height={height}
      preserveAspectRatio="none"
      role="img"
      viewBox={`0 0 ${width} ${height}`}
    >
      {shares.map((share, index) => {
        const tall = Math.max(1, share * height)
        return (
          <rect
            className={share > 0 ? "fill-accent" : "fill-line-strong"}
            height={tall}
            // biome-ignore lint/suspicious/noArrayIndexKey: a bar is its place in time
            key={index}
            width={BAR}
            x={index * (BAR + GAP)}
            y={height - tall}
          />
        )
      })}
    </svg>
  )
}
