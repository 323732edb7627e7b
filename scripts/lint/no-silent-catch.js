/** Swallowing an error is allowed where a comment says why; `catch {}` and `.catch(() => {})` say nothing. */
export const noSilentCatch = {
  meta: {
    type: "problem",
    schema: [],
    messages: {
      silent:
        "This swallows an error without a word. Handle it, rethrow it typed (GND-04), " +
        "or say in a comment why doing nothing is right.",
    },
  },
  create(context) {
    const isSilent = (block) => block.body.length === 0 && context.sourceCode.getCommentsInside(block).length === 0;
    return {
      CatchClause(node) {
        if (isSilent(node.body)) context.report({ node, messageId: "silent" });
      },
      "CallExpression[callee.property.name='catch'] > :function"(node) {
        if (node.body.type === "BlockStatement" && isSilent(node.body)) context.report({ node, messageId: "silent" });
      },
    };
  },
};
