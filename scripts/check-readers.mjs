/**
 * COR-05: a pure read never takes the writer, and the writer never leaves the write that lent it.
 *
 * The check follows calls by type, over the sources of all packages at once. It reports
 * - a `read` whose callback opens a write, itself or through any function it calls;
 * - a `write` whose callback changes nothing: a read that holds up every writer;
 * - a writer that is stored, returned, cast into being, or captured by a function that runs later.
 */
import { relative } from "node:path";
import { fileURLToPath } from "node:url";
import ts from "typescript";
import { callFacts, visitBody } from "./readers/call-facts.mjs";
import { handleTypes } from "./readers/handle-types.mjs";
import { createProgram } from "./readers/program.mjs";
import { writerEscapes } from "./readers/writer-escapes.mjs";

const READ_WRITES = "a read opens a write: take what you need first, then write outside of the read";
const WRITE_READS = "a write that changes nothing: use read, which holds up nobody";

/** Private packages hold no store methods: trials and fixtures may do as they like. */
const EXEMPT = /\/packages\/(?:testkit|bench)\//;

/** Schema work runs at open, on the only connection there is: a transaction may be its way to wait for a lock. */
const OPENING = /\/packages\/state-schema\//;

function misusedCallbacks(types, factsOf, file) {
  const found = [];
  visitBody(file, (node) => {
    if (!ts.isCallExpression(node)) return;
    const callback = types.callbackOf(node);
    const body = callback && types.bodyOf(callback.argument);
    if (body === undefined) return;
    const facts = factsOf(body);
    const onlyReads = callback.handle === "Writer" && !facts.mutates;
    if (callback.handle === "Reader" && facts.takesWriter) found.push({ node, message: READ_WRITES });
    if (onlyReads && !OPENING.test(file.fileName)) found.push({ node, message: WRITE_READS });
  });
  return found;
}

/**
 * @param {string} root - A tree with `packages/` and `tsconfig.base.json`.
 * @returns {{ findings: string[], files: number, callbacks: number }} `callbacks` counts the reads and writes seen.
 */
export function checkReaders(root) {
  const { program, files } = createProgram(root);
  const checker = program.getTypeChecker();
  const types = handleTypes(checker);
  const factsOf = callFacts(checker, types);
  const sources = program.getSourceFiles().filter((file) => files.has(file.fileName) && !EXEMPT.test(file.fileName));
  let callbacks = 0;
  const findings = sources.flatMap((file) => {
    visitBody(file, (node) => {
      if (ts.isCallExpression(node) && types.callbackOf(node) !== undefined) callbacks += 1;
    });
    const found = [...misusedCallbacks(types, factsOf, file), ...writerEscapes(checker, types, file)];
    return found.map(({ node, message }) => {
      const { line } = file.getLineAndCharacterOfPosition(node.getStart(file));
      return `${relative(root, file.fileName)}:${line + 1}: ${message}`;
    });
  });
  return { findings, files: sources.length, callbacks };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { findings, files, callbacks } = checkReaders(fileURLToPath(new URL("..", import.meta.url)));
  for (const finding of findings) console.error(finding);
  console.log(`readers: ${files} files, ${callbacks} reads and writes, ${findings.length} findings`);
  process.exitCode = findings.length === 0 ? 0 : 1;
}
