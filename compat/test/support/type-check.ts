import { basename, join } from "node:path";
import { repoRoot } from "@hermes/testkit";
import ts from "typescript";

/** What an editor shows of a file. */
export interface Shown {
  readonly errors: readonly string[];
  /** Text that is struck through, with the line it stands on. */
  readonly struck: readonly string[];
}

/** What an editor shows of each file, and what is wrong with the declarations of our packages that it reads. */
export interface ShownAll {
  readonly files: Readonly<Record<string, Shown>>;
  readonly declarations: readonly string[];
}

/** 6385: "is deprecated"; 6387: "the signature is deprecated". */
const DEPRECATED = new Set([6385, 6387]);

/**
 * Asks TypeScript's language service, as an editor does.
 *
 * @param folder - Where the files would lie; nothing is written.
 * @param files - Text by file name.
 */
export function showInEditor(folder: string, files: Readonly<Record<string, string>>): ShownAll {
  const texts = new Map(Object.entries(files).map(([name, text]) => [join(folder, name), text]));
  const options: ts.CompilerOptions = {
    module: ts.ModuleKind.NodeNext,
    moduleResolution: ts.ModuleResolutionKind.NodeNext,
    target: ts.ScriptTarget.ES2023,
    strict: true,
    noEmit: true,
    typeRoots: [join(repoRoot(), "node_modules/@types")],
    types: ["node"],
  };
  const read = (name: string): string | undefined => texts.get(name) ?? ts.sys.readFile(name);
  const host: ts.LanguageServiceHost = {
    getCompilationSettings: () => options,
    getScriptFileNames: () => [...texts.keys()],
    getScriptVersion: () => "1",
    getScriptSnapshot: (name) => {
      const text = read(name);
      return text === undefined ? undefined : ts.ScriptSnapshot.fromString(text);
    },
    getCurrentDirectory: () => folder,
    getDefaultLibFileName: (settings) => ts.getDefaultLibFilePath(settings),
    fileExists: (name) => texts.has(name) || ts.sys.fileExists(name),
    readFile: read,
    readDirectory: ts.sys.readDirectory,
    directoryExists: ts.sys.directoryExists,
    getDirectories: ts.sys.getDirectories,
    realpath: (name) => (texts.has(name) ? name : (ts.sys.realpath?.(name) ?? name)),
  };
  const service = ts.createLanguageService(host);
  try {
    const names = [...texts].map(([file, text]) => [basename(file), shown(service, file, text)] as const);
    return { files: Object.fromEntries(names), declarations: wrongDeclarations(service) };
  } finally {
    service.dispose();
  }
}

function errorsOf(service: ts.LanguageService, file: string): string[] {
  return [...service.getSyntacticDiagnostics(file), ...service.getSemanticDiagnostics(file)].map(({ messageText }) =>
    ts.flattenDiagnosticMessageText(messageText, "\n"),
  );
}

function wrongDeclarations(service: ts.LanguageService): string[] {
  const read = service.getProgram()?.getSourceFiles() ?? [];
  const ours = read.filter(({ isDeclarationFile, fileName }) => isDeclarationFile && /[+/]@?hermes[+/]/.test(fileName));
  return ours.flatMap(({ fileName }) => errorsOf(service, fileName).map((error) => `${fileName}: ${error}`));
}

function shown(service: ts.LanguageService, file: string, text: string): Shown {
  return {
    errors: errorsOf(service, file),
    struck: service
      .getSuggestionDiagnostics(file)
      .filter(({ code, reportsDeprecated }) => DEPRECATED.has(code) && reportsDeprecated !== undefined)
      .map(({ start, length }) => `${text.slice(0, start).split("\n").length} ${text.slice(start, start + length)}`),
  };
}
