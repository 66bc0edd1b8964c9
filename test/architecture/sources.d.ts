export declare const root: string;
export declare const layers: Readonly<Record<string, readonly string[]>>;
export declare function sourceFiles(layer: string): readonly string[];
export declare function importsOf(file: string): readonly { from: string; to: string }[];
export declare function forbiddenImports(): readonly string[];
export declare function importsPastAnIndex(): readonly string[];
export declare function importCycles(): readonly string[];
export function filesLoadedBy(entry: string): readonly string[];
