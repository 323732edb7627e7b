export { fixPlugin } from "../scan/fix-plugin.js";
export { scanPlugin } from "../scan/scan-plugin.js";
export type { PluginHit } from "../scan/plugin-hit.js";
