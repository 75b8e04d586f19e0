import { defineConfig } from "@hey-api/openapi-ts"

export default defineConfig({
  input: "./openapi.json",
  output: { path: "src/api/generated" },
  plugins: ["@hey-api/client-fetch", { name: "@hey-api/typescript", enums: "javascript" }, "@hey-api/sdk"],
})
