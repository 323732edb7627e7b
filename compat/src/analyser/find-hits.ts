import type { CompatHit, UseForm } from "./compat-hit.js";
import type { NameBook } from "./compat-name.js";
import { findInComments } from "./find-in-comments.js";
import { ModuleValues } from "./module-values.js";
import { child, children, nameOf, propertyName, textOf } from "./source-tree.js";
import type { IndexedTree, SyntaxNode } from "./source-tree.js";
import { augmented, handedOut, isGivenAway, isTaken, namesModule } from "./whole-uses.js";

function lineStarts(text: string): number[] {
  const starts = [0];
  for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", at + 1)) starts.push(at + 1);
  return starts;
}

/** Finds the uses of one file, form by form. */
class HitFinder {
  readonly hits = new Map<string, CompatHit>();
  readonly #index: IndexedTree;
  readonly #book: NameBook;
  readonly #modules: ModuleValues;
  readonly #starts: readonly number[];
  /** Strings that say where something comes from: they are no names by themselves. */
  readonly #specifiers = new Set<SyntaxNode>();
  readonly #visitors: Readonly<Record<string, ((node: SyntaxNode) => void) | undefined>> = {
    ImportDeclaration: (node) => this.#imports(node, "import"),
    ExportNamedDeclaration: (node) => this.#imports(node, "re-export"),
    ExportAllDeclaration: (node) => this.#imports(node, "re-export"),
    ExportSpecifier: (node) => this.#handedOut(node),
    ExportDefaultDeclaration: (node) => this.#handedOut(node),
    TSExportAssignment: (node) => this.#handedOut(node),
    TSModuleDeclaration: (node) => this.#whole(this.#book.entryOf(augmented(node)), "import type", node),
    ImportExpression: (node) => this.#load(node, this.#modules.promisedBy(node), "dynamic import"),
    TSImportEqualsDeclaration: (node) => this.#handedOut(node),
    VariableDeclarator: (node) => {
      this.#pattern(child(node, "id"), child(node, "init"));
      this.#handedOut(node);
    },
    AssignmentPattern: (node) => this.#pattern(child(node, "left"), child(node, "right")),
    AssignmentExpression: (node) => {
      this.#pattern(child(node, "left"), child(node, "right"));
      this.#handedOut(node);
    },
    BinaryExpression: (node) => this.#asks(node),
    Identifier: (node) => this.#givenAway(node),
    MemberExpression: (node) => this.#member(node),
    JSXMemberExpression: (node) => this.#member(node),
    TSQualifiedName: (node) => this.#qualified(node),
    TSImportType: (node) => this.#importType(node),
    TSIndexedAccessType: (node) => this.#indexedType(node),
    CallExpression: (node) => this.#call(node),
    Literal: (node) => this.#string(node),
    TemplateLiteral: (node) => this.#string(node),
  };

  constructor(index: IndexedTree, book: NameBook) {
    this.#index = index;
    this.#book = book;
    this.#modules = new ModuleValues(index, book);
    this.#starts = lineStarts(index.tree.text);
  }

  find(): CompatHit[] {
    for (const node of this.#index.ofTypes(Object.keys(this.#visitors))) this.#visitors[node.type]?.(node);
    const { comments } = this.#index.tree;
    for (const { entry, name, range } of findInComments(comments, this.#book)) this.#comment(entry, name, range);
    return [...this.hits.values()].sort((a, b) => a.range[0] - b.range[0]);
  }

  #imports(node: SyntaxNode, form: UseForm): void {
    const source = child(node, "source");
    const entry = this.#book.entryOf(textOf(source));
    if (entry === undefined || !source) return;
    this.#specifiers.add(source);
    const specifiers = children(node, "specifiers");
    const before = this.hits.size;
    for (const specifier of specifiers) {
      const key = child(specifier, node.type === "ImportDeclaration" ? "imported" : "local");
      const name = nameOf(key);
      if (name !== undefined && name !== "default") this.#add(entry, name, form, specifier);
      if (name === "default" && form === "re-export") this.#whole(entry, form, specifier);
    }
    const unnamed = specifiers.length === 0 || (this.#book.all && this.hits.size === before);
    if (unnamed) this.#whole(entry, form, node);
  }

  /** `const { X } = <module>`, and the same as an assignment or a parameter. */
  #pattern(pattern: SyntaxNode | undefined, value: SyntaxNode | undefined): void {
    const entry = this.#modules.moduleOf(value);
    if (entry !== undefined && value) this.#keys(pattern, entry, formOf(value));
  }

  #keys(pattern: SyntaxNode | undefined, entry: string, form: UseForm): void {
    if (pattern?.type !== "ObjectPattern") return;
    for (const property of children(pattern, "properties")) {
      const key = child(property, "key");
      const name = property["computed"] === true ? textOf(key) : nameOf(key);
      if (name === "default") this.#keys(child(property, "value"), entry, form);
      else if (name !== undefined) this.#add(entry, name, form, property);
    }
  }

  #member(node: SyntaxNode): void {
    const object = child(node, "object");
    const entry = this.#modules.moduleOf(object);
    const name = node.type === "JSXMemberExpression" ? nameOf(child(node, "property")) : propertyName(node);
    if (entry !== undefined && object && name !== undefined) this.#add(entry, name, formOf(object), node);
  }

  #qualified(node: SyntaxNode): void {
    const entry = this.#modules.moduleOf(child(node, "left"));
    const name = nameOf(child(node, "right"));
    if (entry !== undefined && name !== undefined) this.#add(entry, name, "import type", node);
  }

  #importType(node: SyntaxNode): void {
    const source = child(node, "source") ?? child(node, "argument");
    const entry = this.#book.entryOf(textOf(source));
    if (entry === undefined) return;
    let name = child(node, "qualifier");
    while (name?.type === "TSQualifiedName") name = child(name, "left");
    const text = nameOf(name);
    if (text === undefined) this.#whole(entry, "import type", node);
    else this.#add(entry, text, "import type", node);
  }

  /** `(typeof import("x"))["X"]` and `(typeof x)["X"]`. */
  #indexedType(node: SyntaxNode): void {
    const [object, key] = [child(node, "objectType"), textOf(child(node, "indexType"))];
    const module = object?.type === "TSTypeQuery" ? child(object, "exprName") : object;
    const source = module?.type === "TSImportType" ? (child(module, "source") ?? child(module, "argument")) : undefined;
    const entry = this.#book.entryOf(textOf(source)) ?? this.#modules.moduleOf(module);
    if (entry !== undefined && key !== undefined) this.#add(entry, key, "import type", node);
  }

  #call(node: SyntaxNode): void {
    const [first, second] = children(node, "arguments");
    const entry = this.#modules.moduleOf(first);
    const name = textOf(second);
    if (entry !== undefined && name !== undefined) this.#add(entry, name, "string", node);
    this.#callback(node, first);
    if (namesModule(node, this.#modules)) {
      this.#whole(this.#book.entryOf(textOf(first)) ?? this.#modules.promisedBy(first), "mock", node);
    }
    this.#load(node, this.#modules.moduleOf(node) ?? this.#modules.promisedBy(node), "require");
  }

  /** `"X" in module`. */
  #asks(node: SyntaxNode): void {
    const entry = node["operator"] === "in" ? this.#modules.moduleOf(child(node, "right")) : undefined;
    const name = textOf(child(node, "left"));
    if (entry !== undefined && name !== undefined) this.#add(entry, name, "string", node);
  }

  #load(node: SyntaxNode, entry: string | undefined, form: UseForm): void {
    if (entry !== undefined && !isTaken(this.#index, this.#modules, node)) this.#whole(entry, form, node);
  }

  /** A module that has a name here and is exported under it. */
  #handedOut(node: SyntaxNode): void {
    const value = handedOut(this.#index, node);
    if (value?.type === "Identifier") this.#whole(this.#modules.moduleOf(value), "re-export", node);
  }

  /** `import("x").then(({ X }) => ...)`. */
  #callback(node: SyntaxNode, callback: SyntaxNode | undefined): void {
    const callee = child(node, "callee");
    if (callee?.type !== "MemberExpression" || propertyName(callee) !== "then" || !callback) return;
    const entry = this.#modules.promisedBy(child(callee, "object"));
    if (entry !== undefined) this.#keys(children(callback, "params")[0], entry, "dynamic import");
  }

  #string(node: SyntaxNode): void {
    if (this.#specifiers.has(node)) return;
    const text = textOf(node) ?? "";
    const record = this.#book.findDotted(text);
    if (record) this.#add(record.entry, record.name, "string", node);
    // What some function does with a name is its own affair; a name that is kept is there to be loaded.
    else if (this.#book.all && !isArgument(this.#index, node)) this.#whole(this.#book.entryOf(text), "string", node);
  }

  /** A module that has a name here and is given to somebody who may read any name of it. */
  #givenAway(node: SyntaxNode): void {
    if (isGivenAway(this.#index, this.#modules, node)) this.#whole(this.#modules.moduleOf(node), "import", node);
  }

  #whole(entry: string | undefined, form: UseForm, node: SyntaxNode): void {
    if (entry === undefined || !this.#book.concerns(entry)) return;
    this.#put({ entry, name: "*", record: null, form, node, ...this.#place(node.range) });
  }

  #add(entry: string, name: string, form: UseForm, node: SyntaxNode): void {
    const record = this.#book.find(entry, name);
    if (record) this.#put({ entry, name, record, form, node, ...this.#place(node.range) });
  }

  #comment(entry: string, name: string, range: readonly [number, number]): void {
    const record = this.#book.find(entry, name) ?? null;
    const counts = record !== null || this.#book.all || (name === "*" && this.#book.concerns(entry));
    if (counts) this.#put({ entry, name, record, form: "JSDoc", ...this.#place(range) });
  }

  #put(hit: CompatHit): void {
    this.hits.set(`${hit.range[0]} ${hit.entry} ${hit.name}`, hit);
  }

  #place(range: readonly [number, number]): Pick<CompatHit, "range" | "line" | "column"> {
    let [line, after] = [1, this.#starts.length + 1];
    while (after - line > 1) {
      const middle = (line + after) >> 1;
      if ((this.#starts[middle - 1] ?? 0) <= range[0]) line = middle;
      else after = middle;
    }
    return { range, line, column: range[0] - (this.#starts[line - 1] ?? 0) + 1 };
  }
}

function isArgument(index: IndexedTree, node: SyntaxNode): boolean {
  const user = index.parent(node);
  return user?.type === "CallExpression" || user?.type === "ImportExpression";
}

function formOf(value: SyntaxNode): UseForm {
  if (value.type === "AwaitExpression") return "dynamic import";
  return value.type === "CallExpression" ? "require" : "import";
}

/** Every use of a looked-for name in a file, in the order of the text. Nothing of the file is run. */
export function findHits(tree: IndexedTree, book: NameBook): CompatHit[] {
  return new HitFinder(tree, book).find();
}
