const FUNCTION = /^(?:FunctionDeclaration|FunctionExpression|ArrowFunctionExpression)$/;

/** A module with a top-level await cannot be loaded by `require()`, which callers on every supported Node may use. */
export const noTopLevelAwait = {
  meta: {
    type: "problem",
    schema: [],
    messages: {
      awaited: "Top-level await breaks require() of this package. Move it into a function that the caller awaits.",
    },
  },
  create(context) {
    const check = (node) => {
      const inside = context.sourceCode.getAncestors(node).some((ancestor) => FUNCTION.test(ancestor.type));
      if (!inside) context.report({ node, messageId: "awaited" });
    };
    return { AwaitExpression: check, "ForOfStatement[await=true]": check };
  },
};
