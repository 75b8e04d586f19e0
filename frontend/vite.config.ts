import { fileURLToPath } from "node:url"
import tailwindcss from "@tailwindcss/vite"
import react from "@vitejs/plugin-react"
import { defineConfig } from "vitest/config"

const api = "http://127.0.0.1:8787"

export default defineConfig({
  plugins: [react(), tailwindcss()],
  resolve: { alias: { "@": fileURLToPath(new URL("./src", import.meta.url)) } },
  // Replaced by the service at each request; see backend/kit/single_page.py.
  html: { cspNonce: "PHYLON_CSP_NONCE" },
  server: { host: "127.0.0.1", port: 5173, proxy: { "/api": api } },
  build: { target: "es2022", chunkSizeWarningLimit: 700 },
  test: {
    maxWorkers: 2,
    testTimeout: 60_000,
    restoreMocks: true,
    projects: [
      // Functions need no browser, which makes them quick.
      {
        extends: true,
        test: { name: "functions", environment: "node", include: ["src/**/*.test.ts"], isolate: false },
      },
      {
        extends: true,
        test: {
          name: "pages",
          environment: "happy-dom",
          environmentOptions: { happyDOM: { url: "http://localhost/" } },
          include: ["src/**/*.test.tsx"],
          setupFiles: ["./src/testing/setup.ts"],
        },
      },
    ],
  },
})
