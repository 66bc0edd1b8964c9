export interface Prose {
  readonly start: number;
  readonly text: string;
}
export declare function comments(
  text: string,
): readonly (Prose & { readonly end: number; readonly isDoc: boolean })[];
export declare function testNames(text: string): readonly Prose[];
export declare function paragraphs(page: string): readonly Prose[];
export declare function sentences(text: string): readonly string[];
export declare function countWords(sentence: string): number;
