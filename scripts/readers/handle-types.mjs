import ts from "typescript";

const HANDLES_FILE = /\/state-schema\/(?:src|dist)\/sql\/handles\.(?:d\.)?ts$/;

/** Questions about the two handle types, answered by the type checker and not by the spelling of a variable. */
export function handleTypes(checker) {
  /** "Reader", "Writer", or undefined; aliases, re-exports and imports lead to the same declaration. */
  const handleName = (type) => {
    if (type.isUnion()) return type.types.map(handleName).find((name) => name !== undefined);
    const symbol = type.getSymbol();
    const declared = symbol?.declarations?.some((node) => HANDLES_FILE.test(node.getSourceFile().fileName)) ?? false;
    return declared && (symbol.name === "Reader" || symbol.name === "Writer") ? symbol.name : undefined;
  };

  /** The handle that a function type takes as its first argument. */
  const handleTaken = (type) => {
    const first = type.getCallSignatures()[0]?.getParameters()[0];
    return first === undefined ? undefined : handleName(checker.getTypeOfSymbol(first));
  };

  /** For a call such as `context.write("label", fn)`: which handle its callback gets, and the callback itself. */
  const callbackOf = (call) => {
    const parameters = checker.getResolvedSignature(call)?.getParameters() ?? [];
    for (const [index, parameter] of parameters.entries()) {
      const argument = call.arguments[index];
      const declared = parameter.valueDeclaration;
      if (argument === undefined || declared === undefined) continue;
      const handle = handleTaken(checker.getNonNullableType(checker.getTypeOfSymbolAtLocation(parameter, declared)));
      if (handle !== undefined) return { handle, argument };
    }
    return undefined;
  };

  /** The function whose body runs when `node` is called, where the source says so. */
  const bodyOf = (node) => {
    if (ts.isArrowFunction(node) || ts.isFunctionExpression(node)) return node;
    const symbol = checker.getSymbolAtLocation(ts.isPropertyAccessExpression(node) ? node.name : node);
    const target = symbol && symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;
    for (const declaration of target?.declarations ?? []) {
      if (ts.isFunctionLike(declaration) && declaration.body !== undefined) return declaration;
      const initializer = declaration.initializer;
      if (initializer !== undefined && ts.isFunctionLike(initializer)) return initializer;
    }
    return undefined;
  };

  return { handleName, handleTaken, callbackOf, bodyOf };
}
