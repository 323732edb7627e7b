import ts from "typescript";

const MUTATORS = new Set(["run", "exec"]);

/** Visits a function body and everything nested in it. */
export function visitBody(body, visit) {
  const step = (node) => {
    visit(node);
    ts.forEachChild(node, step);
  };
  ts.forEachChild(body, step);
}

/**
 * What running a function leads to, followed through every call whose body is in the program:
 * `takesWriter` when it opens a write, `mutates` when it changes the file through a Writer.
 */
export function callFacts(checker, types) {
  const memo = new Map();

  const isMutation = (call) =>
    ts.isPropertyAccessExpression(call.expression) &&
    MUTATORS.has(call.expression.name.text) &&
    types.handleName(checker.getTypeAtLocation(call.expression.expression)) === "Writer";

  /** A Writer handed to code that cannot be followed, such as a callback parameter, may be used to write. */
  const handsWriterToUnknown = (call) =>
    types.bodyOf(call.expression) === undefined &&
    call.arguments.some((argument) => types.handleName(checker.getTypeAtLocation(argument)) === "Writer");

  const factsOf = (body) => {
    const known = memo.get(body);
    if (known !== undefined) return known;
    const facts = { takesWriter: false, mutates: false };
    memo.set(body, facts);
    visitBody(body, (node) => {
      if (!ts.isCallExpression(node)) return;
      if (isMutation(node) || handsWriterToUnknown(node)) facts.mutates = true;
      if (types.callbackOf(node)?.handle === "Writer") facts.takesWriter = true;
      const callee = types.bodyOf(node.expression);
      if (callee === undefined || callee === body) return;
      const inner = factsOf(callee);
      facts.takesWriter ||= inner.takesWriter;
      facts.mutates ||= inner.mutates;
    });
    return facts;
  };
  return factsOf;
}
