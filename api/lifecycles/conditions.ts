import { type Lifecycle, originsOf } from './lifecycle.ts';

type Table = Pick<Lifecycle, 'states' | 'transitions'>;

/** Returns the condition types that transitions add, in their order; with `through`, those of one subresource. */
export const conditionTypesIn = ({ transitions }: Table, through?: string): readonly string[] => [
  ...new Set(
    transitions.flatMap(({ adds, through: by }) =>
      adds === undefined || (through !== undefined && by !== through) ? [] : [adds],
    ),
  ),
];

/**
 * Returns the condition types that exclude a type. Their transitions begin in the same state and go through the
 * same subresource, so that only one of them can be taken.
 */
export const alternativesTo = (table: Table, type: string): readonly string[] => {
  const own = table.transitions.filter(({ adds }) => adds === type);
  const others = table.transitions.filter(
    (other) =>
      other.adds !== undefined &&
      other.adds !== type &&
      own.some(
        (each) =>
          each.through === other.through &&
          originsOf(table, each).some((state) => originsOf(table, other).includes(state)),
      ),
  );
  return [...new Set(others.flatMap(({ adds }) => adds ?? []))];
};

/** Returns the states that an object can reach from a state, without that state itself unless it is on a circle. */
function reachableFrom(table: Table, state: string): ReadonlySet<string> {
  const reached = new Set<string>();
  const open = [state];
  for (let at = open.pop(); at !== undefined; at = open.pop())
    for (const each of table.transitions)
      if (originsOf(table, each).includes(at) && !reached.has(each.to)) {
        reached.add(each.to);
        open.push(each.to);
      }
  return reached;
}

/** Returns the condition types that stay once they are added: no path leads back to a state without them. */
export const permanentConditionsIn = (table: Table): readonly string[] =>
  conditionTypesIn(table).filter((type) =>
    table.transitions
      .filter(({ adds }) => adds === type)
      .every((each) => {
        const after = reachableFrom(table, each.to);
        return originsOf(table, each).every((state) => !after.has(state));
      }),
  );
