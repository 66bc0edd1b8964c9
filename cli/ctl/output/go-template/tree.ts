/** Template of Go's `text/template`, parsed. */
export type Block = readonly Node[];

/** Part of a template. */
export type Node =
  | { readonly node: 'text'; readonly text: string }
  | { readonly node: 'action'; readonly pipe: Pipe }
  | {
      readonly node: 'if' | 'with' | 'range';
      readonly pipe: Pipe;
      readonly then: Block;
      readonly otherwise: Block;
    }
  | { readonly node: 'template'; readonly name: string; readonly pipe: Pipe | undefined }
  | { readonly node: 'break' | 'continue' };

/** Commands, each with the result of the previous one as its last argument. */
export interface Pipe {
  /** Variables that are declared or assigned: `$x := …`, or `$key, $value := …` of a range. */
  readonly variables: readonly string[];
  readonly declares: boolean;
  readonly commands: readonly (readonly Operand[])[];
}

/** Argument of a command. `fields` are looked up in its value, as in `$x.a.b`. */
export interface Operand {
  readonly base:
    | { readonly kind: 'dot' | 'nil' }
    | { readonly kind: 'variable' | 'function'; readonly name: string }
    | { readonly kind: 'constant'; readonly value: string | number | boolean; readonly isInteger: boolean }
    | { readonly kind: 'pipe'; readonly pipe: Pipe };
  readonly fields: readonly string[];
}

/** Parsed template with the templates that it defines. */
export interface Template {
  readonly main: Block;
  readonly defined: ReadonlyMap<string, Block>;
}

/** Error of a template that cannot be parsed or evaluated. */
export class TemplateError extends Error {}
