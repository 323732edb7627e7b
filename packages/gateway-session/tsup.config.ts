import { base } from "../../tsup.base.js";

export default base;
