import { render, screen } from "@testing-library/react"
import { expect, it } from "vitest"
import { Markdown } from "@/ui/Markdown"

const TEXT = `# Why
A **bold** *soft* \`code\` [paper](https://example.org/a) word
goes on.

- one
- two

1. first

> said

\`\`\`
x < 1 **plain**
\`\`\`
<img src=x onerror=alert(1)> [bad](javascript:alert(1))
#no heading`

it("shows what it understands and leaves the rest as it was written", () => {
  const { container } = render(<Markdown text={TEXT} />)
  expect(screen.getByRole("heading", { name: "Why" })).toBeTruthy()
  expect(container.querySelector("strong")!.textContent).toBe("bold")
  expect(container.querySelector("em")!.textContent).toBe("soft")
  expect(screen.getAllByRole("listitem").map((item) => item.textContent)).toEqual(["one", "two", "first"])
  expect(container.querySelector("blockquote")!.textContent).toBe("said")
  expect(container.querySelector("pre")!.textContent).toBe("x < 1 **plain**")
  const links = screen.getAllByRole("link").map((link) => link.getAttribute("href"))
  expect(links).toEqual(["https://example.org/a"])
  expect(container.querySelector("img")).toBeNull()
  expect(container.textContent).toContain("<img src=x onerror=alert(1)> [bad](javascript:alert(1))")
  expect(container.textContent).toContain("#no heading")
})
