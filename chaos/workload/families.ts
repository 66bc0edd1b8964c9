import type { Action, Owner } from '../world/user.ts';
import { lifeOf } from './life.ts';
import { type OwnerKind, drawKind, likelyOwners, namespacedKinds } from './owner-kinds.ts';
import {
  type Making,
  PROPAGATIONS,
  type Part,
  type Propagation,
  SECOND,
  TEAM,
  later,
  sometime,
} from './parts.ts';
import type { MoveName, Step, Subject } from './subject.ts';

/** Member of a family: an owner or a dependent. */
interface Member {
  readonly kind: OwnerKind;
  readonly name: string;
}

const subjectOf = ({ kind, name }: Member, more: Partial<Subject> = {}): Subject => ({
  resource: kind.resource,
  namespace: kind.namespaced ? TEAM : '',
  name,
  base: kind.base,
  ...more,
});

const reference = ({ kind, name }: Member, block: boolean): Owner => ({
  resource: kind.resource,
  name,
  block,
});

/**
 * Delays in milliseconds between an owner and its dependents. Some are too short for the owner's watch event
 * to arrive.
 */
const BORN_AFTER_MS = [5, 20, 50, 1_000];
/** Times in milliseconds, relative to the deletion of an owner, at which late dependents are created. */
const LATE_MS = [-50, -5, 5, 50];
/** Times in milliseconds after which a deleted owner is recreated. */
const RECREATED_MS = [20, 300, 2_000, 30_000];
/** Delays in milliseconds between a recreated owner and its dependents. */
const HEIR_AFTER_MS = [1, 5, 5, 20, 60, 1_000];
/** Time in milliseconds by which dependents from a backup precede their owner, whose uid they do not have. */
const RESTORED_BEFORE_MS = 2 * SECOND;
/**
 * Policies of an owner's deletion. Under Background, dependents outlive the owner, and its absence is looked
 * up.
 */
const DEATHS: readonly Propagation[] = ['Background', ...PROPAGATIONS];
/** Lives of a recreated owner in milliseconds: some end before its heirs were looked at. */
const LIVES_MS = [500, 5_000, 60_000];
const DEPENDENT_MOVES: readonly MoveName[] = ['touch', 'adopt', 'adopt', 'orphan', 'delete', 'replace'];

/** Members and settings of a family, which are drawn. */
interface Family {
  readonly making: Making;
  /** Prefix of the names of the members. */
  readonly prefix: string;
  readonly first: Member;
  readonly second: Member;
  /** Kinds of the dependents. The nth dependent has the nth kind, cyclically. */
  readonly kinds: readonly OwnerKind[];
  readonly block: boolean;
}

/** Returns the actions on a dependent. */
function dependentOf(
  { making, prefix, first, second, kinds, block }: Family,
  name: string,
  nth: number,
  owners: readonly Member[],
  bornMs: number,
): readonly Action[] {
  const referTo = (members: readonly Member[]): readonly Owner[] =>
    members.map((owner) => reference(owner, block));
  const subject = subjectOf(
    { kind: kinds[nth % kinds.length] as OwnerKind, name: `${prefix}${name}` },
    {
      owners: referTo(owners),
      otherOwners: [referTo([second]), referTo([first, second])],
      moves: DEPENDENT_MOVES,
      moveCounts: [0, 0, 1],
    },
  );
  return lifeOf(making, subject, { bornMs });
}

/** Draws the deletions of the first owner and its recreations, whose times come second. */
function deathsOf({ draw }: Making, goneMs: number): readonly [readonly Step[], againMs: readonly number[]] {
  const steps: Step[] = [];
  const again: number[] = [];
  const count = draw.one('owner generations', [1, 2, 2, 3]);
  for (let nth = 0, atMs = goneMs; nth < count; nth++) {
    steps.push({ step: 'delete', atMs, propagation: draw.one('owner delete', DEATHS) });
    if (draw.once('owner stays away', 3)) break;
    const againMs = atMs + draw.one('owner recreated after', RECREATED_MS);
    steps.push({ step: 'create', atMs: againMs, fields: {} });
    again.push(againMs);
    atMs = againMs + draw.one('owner lives for', LIVES_MS);
  }
  return [steps, again];
}

function drawFamily(making: Making, prefix: string): Family {
  const drawMember = (choice: string, name: string): Member => ({
    kind: drawKind(making, choice, likelyOwners),
    name: `${prefix}${name}`,
  });
  return {
    making,
    prefix,
    first: drawMember('owner', 'owner-1'),
    second: drawMember('other owner', 'owner-2'),
    kinds: [drawKind(making, 'dependent', namespacedKinds), drawKind(making, 'dependent', namespacedKinds)],
    block: making.draw.once('blocking dependents', 2),
  };
}

/**
 * Returns actions on owners of all kinds with dependents of other kinds. An owner is deleted under each
 * policy, possibly while dependents are created, and recreated, possibly with new dependents. Dependents are
 * adopted and orphaned.
 */
function family(making: Making, prefix = ''): readonly Action[] {
  const { draw } = making;
  const drawn = drawFamily(making, prefix);
  const { first, second, kinds } = drawn;
  const bornMs = RESTORED_BEFORE_MS + sometime(making);
  const goneMs = later(making, bornMs + 2 * SECOND);
  const [steps, again] = deathsOf(making, goneMs);
  const born = (name: string, nth: number, owners: readonly Member[], atMs: number): readonly Action[] =>
    dependentOf(drawn, name, nth, owners, atMs);
  const owners = [[first], [first, second], [second]].slice(0, draw.one('dependents', [1, 2, 2, 3]));
  const child: Member = { kind: kinds[0] as OwnerKind, name: `${prefix}child-0` };
  const nobody: Member = { kind: first.kind, name: 'nobody' };
  const some = (choice: string, times: number, actions: () => readonly Action[]): readonly Action[] =>
    draw.once(choice, times) ? actions() : [];
  return [
    ...lifeOf(making, subjectOf(first), { bornMs, steps }),
    ...lifeOf(making, subjectOf(second, { moves: ['touch', 'delete', 'replace'] }), { bornMs }),
    ...owners.flatMap((of, nth) =>
      born(`child-${nth}`, nth, of, bornMs + draw.one('born after', BORN_AFTER_MS)),
    ),
    ...some('grandchild', 3, () => born('grandchild', 1, [child], bornMs + 2 * SECOND)),
    ...some('late dependent', 2, () => born('late-child', 1, [first], goneMs + draw.one('late', LATE_MS))),
    ...some('restored dependent', 2, () => born('restored', 1, [first], bornMs - RESTORED_BEFORE_MS)),
    ...some('stray', 4, () => born('stray', 1, [nobody], sometime(making))),
    ...again.flatMap((againMs, generation) =>
      [0, 1].flatMap((nth) =>
        born(`heir-${generation}-${nth}`, nth, [first], againMs + draw.one('heir after', HEIR_AFTER_MS)),
      ),
    ),
  ];
}

/**
 * Returns actions on objects that block each other's or their own foreground deletion. All must be deleted.
 */
function cycle(making: Making): readonly Action[] {
  const { draw } = making;
  const bornMs = sometime(making);
  const goneMs = later(making, bornMs + SECOND);
  const kind = drawKind(making, 'cycle', namespacedKinds);
  const names = ['round-1', 'round-2', 'round-3'].slice(0, draw.one('cycle length', [1, 2, 3]));
  return names.flatMap((name, i) => {
    const next: Member = { kind, name: names[(i + 1) % names.length] ?? '' };
    const own: Step = { step: 'own', atMs: bornMs + SECOND, owners: [reference(next, true)] };
    const isDeleted = i === 0 || draw.once('cycle deleted', 2);
    const steps: readonly Step[] = isDeleted
      ? [own, { step: 'delete', atMs: goneMs, propagation: 'Foreground' }]
      : [own];
    return lifeOf(making, subjectOf({ kind, name }), { bornMs, steps });
  });
}

/** Returns actions on a family, and sometimes on another one of other kinds, or on a cycle of owners. */
export const ownedObjects: Part = (making) => [
  ...family(making),
  ...(making.draw.once('another family', 2) ? family(making, 'other-') : []),
  ...(making.draw.once('cycle', 4) ? cycle(making) : []),
];
