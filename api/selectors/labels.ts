import { labelMatcher } from './label-matcher.ts';
import { parseRequirements } from './label-syntax.ts';
import {
  type LabelOperator,
  type LabelRequirement,
  LabelSelectorError,
  type Labels,
  defineRequirement,
  formatRequirement,
} from './label-requirement.ts';

export {
  type LabelOperator,
  type LabelRequirement,
  LabelSelectorError,
  type Labels,
} from './label-requirement.ts';

/** Immutable label selector. An object is selected if it meets all requirements. */
export interface LabelSelector {
  /** Requirements sorted by key. */
  readonly requirements: readonly LabelRequirement[];
  /** True if the selector selects everything. */
  readonly empty: boolean;
  /** True if the selector selects nothing, regardless of the labels. */
  readonly nothing: boolean;
  matches(labels: Labels | undefined): boolean;
  /**
   * Returns the canonical string: `a=1,b in (2,3),!c`. It is empty for a selector of everything and for a
   * selector of nothing.
   */
  toString(): string;
}

/** A `metav1.LabelSelector`, as objects contain it. */
export interface LabelSelectorObject {
  readonly matchLabels?: { readonly [key: string]: string };
  readonly matchExpressions?: readonly {
    readonly key: string;
    readonly operator: string;
    readonly values?: readonly string[];
  }[];
}

const NO_LABELS: Labels = {};

/** Creates a selector and sorts its requirements by key. */
function createLabelSelector(requirements: readonly LabelRequirement[]): LabelSelector {
  const sorted = [...requirements].sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0));
  const text = sorted.map(formatRequirement).join(',');
  let matcher: ReturnType<typeof labelMatcher> | undefined;
  return {
    requirements: sorted,
    empty: sorted.length === 0,
    nothing: false,
    matches: (labels = NO_LABELS) => (matcher ??= labelMatcher(sorted))(labels),
    toString: () => text,
  };
}

/** Selector that matches all labels. */
export const EVERYTHING: LabelSelector = createLabelSelector([]);

/** Selector that matches no labels. */
export const NOTHING: LabelSelector = {
  requirements: [],
  empty: false,
  nothing: true,
  matches: () => false,
  toString: () => '',
};

/** Parses a selector string such as `a=1,b in (2,3),!c`. Throws `LabelSelectorError`. */
export function parseLabelSelector(text: string): LabelSelector {
  const requirements = parseRequirements(text);
  return requirements.length === 0 ? EVERYTHING : createLabelSelector(requirements);
}

const OPERATORS: ReadonlyMap<string, LabelOperator> = new Map([
  ['In', 'in'],
  ['NotIn', 'notin'],
  ['Exists', 'exists'],
  ['DoesNotExist', '!'],
]);

/**
 * Converts the object form of a selector. An absent selector selects nothing, and an empty selector selects
 * everything. Throws `LabelSelectorError`.
 */
export function fromLabelSelector(selector: LabelSelectorObject | null | undefined): LabelSelector {
  if (!selector) return NOTHING;
  const { matchLabels = {}, matchExpressions = [] } = selector;
  const requirements = [
    ...Object.entries(matchLabels).map(([key, value]) => defineRequirement(key, '=', [value])),
    ...matchExpressions.map(({ key, operator, values = [] }) => {
      const known = OPERATORS.get(operator);
      if (known === undefined) {
        throw new LabelSelectorError(`${JSON.stringify(operator)} is not a valid pod selector operator`);
      }
      return defineRequirement(key, known, values);
    }),
  ];
  return requirements.length === 0 ? EVERYTHING : createLabelSelector(requirements);
}

/**
 * Returns the selector of objects that have all these labels, like Go's `Set.AsSelector`. Does not validate
 * the labels. If `labels` is empty, the selector selects everything.
 */
export const fromLabels = (labels: Labels): LabelSelector =>
  createLabelSelector(
    Object.entries(labels).map(([key, value]) => ({ key, operator: '=', values: [value] })),
  );
