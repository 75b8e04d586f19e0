import { useEffect, useState } from "react"

/** The present, renewed now and then, for ages that grow while one looks at them. */
export function useNow(everyMilliseconds = 5000): number {
  const [now, setNow] = useState(() => Date.now())
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), everyMilliseconds)
    return () => clearInterval(timer)
  }, [everyMilliseconds])
  return now
}
