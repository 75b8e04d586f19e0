import { afterEach, beforeEach, expect, test, vi } from "vitest"
import { createOnce } from "@/api/createOnce"
import { ApiError } from "@/api/errors"

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

test("a call without an answer is sent again under the same key", async () => {
  const keys: string[] = []
  const created = createOnce(async (headers) => {
    keys.push(headers["Idempotency-Key"])
    if (keys.length < 3) throw new ApiError(0, "The API does not answer.", null)
    return "created"
  })
  await vi.runAllTimersAsync()
  expect(await created).toBe("created")
  expect(keys).toHaveLength(3)
  expect(new Set(keys).size).toBe(1)
})

test("after three tries the error is shown", async () => {
  const send = vi.fn(async () => {
    throw new ApiError(503, "The API is starting.", null)
  })
  const created = expect(createOnce(send)).rejects.toThrow("starting")
  await vi.runAllTimersAsync()
  await created
  expect(send).toHaveBeenCalledTimes(3)
})

test("a refusal is final, and another call has another key", async () => {
  const keys: string[] = []
  for (let call = 0; call < 2; call++)
    await expect(
      createOnce(async (headers) => {
        keys.push(headers["Idempotency-Key"])
        throw new ApiError(422, "the spec has a problem", null)
      }),
    ).rejects.toThrow("problem")
  expect(new Set(keys).size).toBe(2)
})
