import { QueryClientProvider } from "@tanstack/react-query"
import { RouterProvider } from "@tanstack/react-router"
import { StrictMode } from "react"
import { createRoot } from "react-dom/client"
import { passOnNonce } from "@/lib/nonce"
import { startTheme } from "@/lib/theme"
import { createQueryClient } from "@/routes/queryClient"
import { createAppRouter } from "@/routes/router"
import "@/styles.css"

passOnNonce()
startTheme()
const queryClient = createQueryClient()
const router = createAppRouter(queryClient)

createRoot(document.getElementById("root")!).render(
  <StrictMode>
    <QueryClientProvider client={queryClient}>
      <RouterProvider router={router} />
    </QueryClientProvider>
  </StrictMode>,
)
