import type { Action, Owner } from '../world/user.ts';
import { ABSENT, type Chosen, type FieldValues, manifestOf, patchOf } from './fields.ts';
import {
  MINUTE,
  type Making,
  PROPAGATIONS,
  SECOND,
  create,
  later,
  patch,
  remove,
  sometime,
} from './parts.ts';
import { type MoveName, type Script, type Step, type Subject, usualMoves } from './subject.ts';

/**
 * Times in milliseconds between two changes by a user who reverses a decision. Some fall into one reconcile,
 * some into the delay of a watch, and some are longer.
 */
const GAPS_MS = [1, 5, 20, 100, 500, 2_000, 10_000];
/** Times in milliseconds relative to the time at which a controller acts without an event. */
const NEAR_DUE_MS = [-1_000, -10, 0, 10, 1_000];
/**
 * Times in milliseconds after which a field that was held over a due time is changed back. All exceed the
 * tolerance within which no due time is judged.
 */
const AFTER_DUE_MS = [70_000, 100_000, 200_000];
/** Finalizer that no controller removes. */
export const FOREIGN = 'example.com/kept';
/** Time for which a foreign finalizer holds a deleted object, in milliseconds. */
export const HELD_MS = [100, 5_000, 90_000];

/** State of an object while its actions are drawn. */
interface Drawn {
  readonly fields: Chosen;
  readonly atMs: number;
  readonly exists: boolean;
}

/** Returns the actions on one object. Everything that the script does not contain is drawn. */
export function lifeOf(making: Making, subject: Subject, script: Script = {}): readonly Action[] {
  const { resource, base = {}, owners = [] } = subject;
  const bornMs = script.bornMs ?? sometime(making);
  const isGiven = script.steps !== undefined;
  const fields = { ...(isGiven ? {} : drawFields(making, resource, subject.fields ?? {})), ...script.fields };
  const steps =
    script.steps ?? drawMoves(making, subject, { fields, atMs: Math.max(0, bornMs), exists: true });
  const mayBeHeld = !isGiven && subject.isMaintained !== true;
  const held = script.held ?? (mayBeHeld && making.draw.once(`${resource} held`, 8));
  const first: readonly Step[] =
    subject.isMaintained === true ? [] : [{ step: 'create', atMs: bornMs, fields, owners }];
  const actions = [...first, ...steps].map((step) => actionOf(subject, step, base));
  return held ? withFinalizer(making, subject, actions) : actions;
}

/** Draws a value for every field. */
export const drawFields = (making: Making, resource: string, fields: FieldValues): Chosen =>
  Object.fromEntries(
    Object.entries(fields).map(([path, values]) => [path, making.draw.one(`${resource} ${path}`, values)]),
  );

function actionOf(subject: Subject, step: Step, base: Subject['base'] = {}): Action {
  const { resource, namespace, name } = subject;
  switch (step.step) {
    case 'create': {
      const made = create(step.atMs, resource, namespace, name, manifestOf(base, step.fields));
      return step.owners?.length ? { ...made, owners: step.owners } : made;
    }
    case 'edit':
      return patch(step.atMs, resource, namespace, name, patchOf(step.fields), step.subresource);
    case 'own':
      return step.owners.length === 0
        ? patch(step.atMs, resource, namespace, name, { metadata: { ownerReferences: null } })
        : { ...patch(step.atMs, resource, namespace, name, {}), owners: step.owners };
    case 'delete':
      return remove(step.atMs, resource, namespace, name, step.propagation);
  }
}

function drawMoves(making: Making, subject: Subject, born: Drawn): readonly Step[] {
  const { resource, moves = usualMoves, moveCounts = [0, 1, 1, 2] } = subject;
  const possible = moves.filter((name) => isPossible(name, subject));
  if (possible.length === 0) return [];
  const count = making.draw.one(`${resource} moves`, moveCounts);
  const steps: Step[] = [];
  let now = born;
  for (let i = 0; i < count && now.exists; i++) {
    const name = making.draw.one(`${resource} move`, possible);
    const atMs = momentOf(making, subject, now.atMs);
    const [made, fields] = stepsOf[name](making, subject, { ...now, atMs });
    steps.push(...made);
    const last = made.at(-1);
    now = { fields, atMs: last?.atMs ?? atMs, exists: last?.step !== 'delete' };
  }
  return steps;
}

const editsOf = ({ edits, fields = {} }: Subject): FieldValues => edits ?? fields;

function isPossible(name: MoveName, subject: Subject): boolean {
  if (name === 'hold' && subject.nextDueMs === undefined) return false;
  if (name === 'edit' || name === 'undo' || name === 'hold' || name === 'change-mind')
    return Object.keys(editsOf(subject)).length > 0;
  return (name !== 'adopt' && name !== 'orphan') || subject.otherOwners !== undefined;
}

/**
 * Draws the time of a move: any time, just after the previous action, or close to the time at which a
 * controller acts.
 */
function momentOf(making: Making, { resource, nextDueMs }: Subject, afterMs: number): number {
  const { draw } = making;
  const when = draw.one(`${resource} when`, [
    'later',
    'later',
    'soon',
    ...(nextDueMs === undefined ? [] : ['due', 'due', 'due']),
  ]);
  if (when === 'soon') return afterMs + gapOf(making, resource);
  const atMs = later(making, afterMs);
  if (when === 'later' || nextDueMs === undefined) return atMs;
  return Math.max(afterMs + 1, nextDueMs(atMs) + draw.one(`${resource} near`, NEAR_DUE_MS));
}

const gapOf = ({ draw }: Making, resource: string): number => draw.one(`${resource} gap`, GAPS_MS);

/**
 * Draws a new value for one field. Returns the edit, and the edit that restores the previous value.
 * @param often true to choose only among the fields that are edited often; default false
 */
function drawEdit(
  making: Making,
  subject: Subject,
  known: Chosen,
  often = false,
): readonly [edit: Chosen, undo: Chosen] {
  const edits = editsOf(subject);
  const { oftenEdited = [] } = subject;
  const paths = often && oftenEdited.length > 0 ? oftenEdited : [...Object.keys(edits), ...oftenEdited];
  const path = making.draw.one(`${subject.resource} edit`, paths);
  const before = known[path] ?? ABSENT;
  const others = (edits[path] ?? []).filter((value) => value !== before);
  const value = making.draw.one(`${subject.resource} edit ${path}`, others.length > 0 ? others : [before]);
  return [{ [path]: value }, { [path]: before }];
}

/** Draws the steps of a move. Returns the steps, and the fields after the move. */
type StepsOf = (making: Making, subject: Subject, now: Drawn) => readonly [readonly Step[], Chosen];

const deletion = ({ draw }: Making, { resource }: Subject, atMs: number): Step => ({
  step: 'delete',
  atMs,
  propagation: draw.one(`${resource} delete`, PROPAGATIONS),
});

/** Draws the recreation of a deleted object. In half of the cases, other fields are drawn. */
function recreation(making: Making, subject: Subject, { fields, atMs }: Drawn): Step {
  const { resource, owners = [] } = subject;
  const isOther = making.draw.once(`${resource} recreated otherwise`, 2);
  const made = isOther ? drawFields(making, resource, subject.fields ?? {}) : fields;
  return { step: 'create', atMs: atMs + gapOf(making, resource), fields: made, owners };
}

const owning = (now: Drawn, owners: readonly Owner[]): ReturnType<StepsOf> => [
  [{ step: 'own', atMs: now.atMs, owners }],
  now.fields,
];

const stepsOf: Readonly<Record<MoveName, StepsOf>> = {
  edit(making, subject, { fields, atMs }) {
    const [edit] = drawEdit(making, subject, fields);
    return [[{ step: 'edit', atMs, fields: edit }], { ...fields, ...edit }];
  },
  undo(making, subject, { fields, atMs }) {
    const [edit, undo] = drawEdit(making, subject, fields);
    const isLate = making.draw.once(`${subject.resource} undone late`, 2);
    const backMs = isLate ? later(making, atMs) : atMs + gapOf(making, subject.resource);
    return [
      [
        { step: 'edit', atMs, fields: edit },
        { step: 'edit', atMs: backMs, fields: undo },
      ],
      fields,
    ];
  },
  hold(making, subject, { fields, atMs }) {
    const [edit, undo] = drawEdit(making, subject, fields, true);
    const dueMs = subject.nextDueMs?.(atMs) ?? atMs;
    const backMs = dueMs + making.draw.one(`${subject.resource} held over`, AFTER_DUE_MS);
    return [
      [
        { step: 'edit', atMs, fields: edit },
        { step: 'edit', atMs: backMs, fields: undo },
      ],
      fields,
    ];
  },
  'change-mind'(making, subject, { fields, atMs }) {
    const [first] = drawEdit(making, subject, fields);
    const changed = { ...fields, ...first };
    const [second] = drawEdit(making, subject, changed);
    const laterMs = atMs + gapOf(making, subject.resource);
    return [
      [
        { step: 'edit', atMs, fields: first },
        { step: 'edit', atMs: laterMs, fields: second },
      ],
      { ...changed, ...second },
    ];
  },
  touch: (_making, _subject, { fields, atMs }) => [
    [{ step: 'edit', atMs, fields: { 'metadata.labels.touched': String(Math.round(atMs)) } }],
    fields,
  ],
  delete: (making, subject, { fields, atMs }) => [[deletion(making, subject, atMs)], fields],
  replace(making, subject, now) {
    const made = recreation(making, subject, now);
    return [[deletion(making, subject, now.atMs), made], made.step === 'create' ? made.fields : now.fields];
  },
  withdraw(making, subject, now) {
    const made = recreation(making, subject, now);
    const goneMs = made.atMs + gapOf(making, subject.resource);
    return [[deletion(making, subject, now.atMs), made, deletion(making, subject, goneMs)], now.fields];
  },
  adopt: (making, { resource, otherOwners = [] }, now) =>
    owning(now, making.draw.one(`${resource} adopted by`, otherOwners)),
  orphan: (_making, _subject, now) => owning(now, []),
};

/**
 * Adds a foreign finalizer to every creation. A later patch after each deletion removes it, so that no object
 * is held at the end of a run.
 */
function withFinalizer(making: Making, subject: Subject, actions: readonly Action[]): readonly Action[] {
  const { resource, namespace, name } = subject;
  const release = (atMs: number): Action => ({
    ...patch(atMs, resource, namespace, name, {}),
    withoutFinalizer: FOREIGN,
  });
  const held = actions.flatMap((action): readonly Action[] => {
    if (action.verb === 'create') {
      const { metadata, ...object } = action.object ?? {};
      const own = { ...(metadata as object | undefined), finalizers: [FOREIGN] };
      return [{ ...action, object: { ...object, metadata: own } }];
    }
    if (action.verb !== 'delete') return [action];
    return [action, release(action.atMs + making.draw.one(`${resource} held for`, HELD_MS))];
  });
  const lastMs = Math.max(making.untilMs, ...held.map(({ atMs }) => atMs));
  return [...held, release(lastMs + Math.min(MINUTE, SECOND * 5))];
}
