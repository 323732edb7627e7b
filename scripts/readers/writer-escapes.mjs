import ts from "typescript";
import { visitBody } from "./call-facts.mjs";

/** The rooms that own the writer connection; everyone else only borrows it inside a callback. */
const OWNERS = /\/packages\/(?:state-core\/src\/(?:driver|connection|writing)|state-schema\/src\/sql)\//;

const STORED = "stores a writer: take it as a parameter inside a write";
const CAST = "makes a writer out of something else by a cast";
const KEPT = "keeps the writer beyond its use: call it, or pass it on as an argument";
const LATE = "uses the writer in a function that runs later, when the transaction is over";

/** Climbs out of parentheses and type assertions that do not change what a value is. */
function outermost(node) {
  const { parent } = node;
  return ts.isParenthesizedExpression(parent) || ts.isNonNullExpression(parent) ? outermost(parent) : node;
}

/** The parameter that an identifier reads, if it reads one. */
function parameterBehind(checker, node) {
  if (!ts.isIdentifier(node)) return undefined;
  const symbol = ts.isShorthandPropertyAssignment(node.parent)
    ? checker.getShorthandAssignmentValueSymbol(node.parent)
    : checker.getSymbolAtLocation(node);
  const declaration = symbol?.valueDeclaration;
  if (declaration === undefined || declaration.name === node || isPlace(declaration)) return undefined;
  return ts.isParameter(declaration) ? declaration : undefined;
}

/** Declarations that hold a value for longer than a call. */
function isPlace(node) {
  if (ts.isParameter(node)) return ts.isParameterPropertyDeclaration(node, node.parent);
  return ts.isPropertyDeclaration(node) || ts.isPropertySignature(node) || ts.isVariableDeclaration(node);
}

function isBorrowed(identifier) {
  const node = outermost(identifier);
  const parent = node.parent;
  if (ts.isPropertyAccessExpression(parent) && parent.expression === node) {
    return ts.isCallExpression(parent.parent) && parent.parent.expression === parent;
  }
  return (ts.isCallExpression(parent) || ts.isNewExpression(parent)) && (parent.arguments ?? []).includes(node);
}

/** A nested function that runs later, when the transaction is over, must not hold the writer. */
function runsLater(identifier, declaration) {
  for (let node = identifier.parent; node !== undefined && node !== declaration.parent; node = node.parent) {
    if (!ts.isFunctionLike(node)) continue;
    const modifiers = ts.canHaveModifiers(node) ? ts.getModifiers(node) : undefined;
    if (modifiers?.some((modifier) => modifier.kind === ts.SyntaxKind.AsyncKeyword)) return true;
    if (ts.isReturnStatement(node.parent)) return true;
    if (ts.isArrowFunction(node.parent) && node.parent.body === node) return true;
  }
  return false;
}

/**
 * Uses of a Writer that let it outlive its transaction: kept in a variable or a field, returned, put into an object,
 * or captured by a function that is returned or asynchronous.
 */
export function writerEscapes(checker, types, file) {
  if (OWNERS.test(file.fileName)) return [];
  const isWriter = (node) => types.handleName(checker.getTypeAtLocation(node)) === "Writer";
  const found = [];
  visitBody(file, (node) => {
    if (isPlace(node) && isWriter(node)) found.push({ node, message: STORED });
    if (ts.isAsExpression(node) && types.handleName(checker.getTypeFromTypeNode(node.type)) === "Writer") {
      found.push({ node, message: CAST });
    }
    const declaration = parameterBehind(checker, node);
    if (declaration === undefined || !isWriter(declaration)) return;
    if (!isBorrowed(node)) found.push({ node, message: KEPT });
    else if (runsLater(node, declaration)) found.push({ node, message: LATE });
  });
  return found;
}
