export declare function complaints(
  text: string,
  options?: { readonly isDoc?: boolean; readonly isLimited?: boolean },
): readonly string[];
export declare function undocumented(file: string, names?: ReadonlySet<string>): readonly string[];
export declare function brokenRules(folders?: readonly string[]): readonly string[];
