/** A small language for tests of the form: the shapes that the real one has, as pydantic writes them. */

export const SPEC_SCHEMA = {
  definition: {
    $defs: {
      TD3Spec: {
        properties: {
          name: { const: "td3", type: "string" },
          batch_size: { type: "integer", description: "Transitions of a step." },
          network: { $ref: "#/$defs/MLPSpec" },
          discount: { oneOf: [{ type: "number" }, { $ref: "#/$defs/Uniform" }] },
        },
      },
      MLPSpec: { properties: { hidden: { type: "array" }, activation: { enum: ["relu", "tanh"] } } },
      Uniform: { properties: { uniform: { type: "array" } } },
      PopulationSpec: { properties: { size: { type: "integer" } } },
      ReplaySpec: { properties: { capacity: { type: "integer", description: "Transitions\nin a ring." } } },
      VideosSpec: { properties: { interval: { type: "integer" }, sound: { type: "boolean" } } },
    },
    properties: {
      version: { const: 2 },
      name: { type: "string" },
      algorithm: {
        discriminator: { propertyName: "name", mapping: { td3: "#/$defs/TD3Spec" } },
        oneOf: [{ $ref: "#/$defs/TD3Spec" }],
      },
      population: { $ref: "#/$defs/PopulationSpec" },
      replay: { anyOf: [{ $ref: "#/$defs/ReplaySpec" }, { type: "null" }] },
      videos: { anyOf: [{ $ref: "#/$defs/VideosSpec" }, { type: "null" }] },
      founders: { type: "object", additionalProperties: { type: "array" } },
    },
  },
  short_forms: { environment: "id", algorithm: "name", population: "size", "population.method": "name" },
}
