/** Moves labels apart that would overlap, each as little as possible, keeping their order and staying within limits. */
export function spreadLabels(wanted: readonly number[], gap: number, low: number, high: number): number[] {
  interface Block {
    members: number[]
    start: number
  }
  const order = wanted.map((_, index) => index).sort((a, b) => wanted[a]! - wanted[b]!)
  const blocks: Block[] = []
  for (const index of order) {
    let block: Block = { members: [index], start: hold(wanted[index]!, 1) }
    let above = blocks.at(-1)
    while (above && above.start + above.members.length * gap > block.start) {
      blocks.pop()
      block = settle([...above.members, ...block.members])
      above = blocks.at(-1)
    }
    blocks.push(block)
  }

  /** A block lies where its members would be on average, if the limits allow it. */
  function settle(members: number[]): Block {
    const sum = members.reduce((total, index, place) => total + wanted[index]! - place * gap, 0)
    return { members, start: hold(sum / members.length, members.length) }
  }

  function hold(start: number, count: number): number {
    return Math.max(low, Math.min(start, high - (count - 1) * gap))
  }

  const placed = [...wanted]
  for (const { members, start } of blocks) {
    members.forEach((index, place) => {
      placed[index] = start + place * gap
    })
  }
  return placed
}
