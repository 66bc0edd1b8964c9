import { describe, expect, it } from 'vitest';
import {
  type AnyEventObject,
  type AnyMachineSnapshot,
  type AnyStateMachine,
  createActor,
  fromPromise,
  initialTransition,
  toPromise,
  transition,
} from 'xstate';
import { isReconcileOutput } from './reconcile/reconcile.ts';
import { type Specimen, specimens } from './specimens.fixture.ts';

const input = { key: 'team/thing', retries: 0 };

interface Effect {
  readonly state: string;
  /** Name of the actor in `setup`. */
  readonly source: string;
  readonly id: string;
  readonly delays: readonly string[];
}

/** Returns the effect states of a machine, read from its declaration. */
const effectsOf = (machine: AnyStateMachine): readonly Effect[] =>
  Object.values(machine.states).flatMap((node) =>
    node.invoke.map(({ id, src }) => ({
      state: node.key,
      source: String(src),
      id,
      delays: Object.keys((node.config.after ?? {}) as object),
    })),
  );

const step = (
  machine: AnyStateMachine,
  from: AnyMachineSnapshot,
  event: AnyEventObject,
): AnyMachineSnapshot => transition(machine, from, event)[0] as AnyMachineSnapshot;
const answered = ({ id }: Effect, output: unknown) => ({
  type: `xstate.done.actor.${id}`,
  output,
  actorId: id,
});
const broken = ({ id }: Effect, error: unknown) => ({ type: `xstate.error.actor.${id}`, error, actorId: id });
const late = (machine: AnyStateMachine, { state }: Effect, delay: string) => ({
  type: `xstate.after.${delay}.${machine.id}.${state}`,
});

/** Returns every snapshot that a sequence of results reaches, including final snapshots. */
function walk({ machine, answers }: Specimen): readonly AnyMachineSnapshot[] {
  const effects = new Map(effectsOf(machine).map((effect) => [effect.state, effect]));
  const found = new Map<string, AnyMachineSnapshot>();
  const open = [initialTransition(machine, input)[0] as AnyMachineSnapshot];
  for (let next = open.pop(); next; next = open.pop()) {
    const key = JSON.stringify([next.value, next.context]);
    if (found.has(key)) continue;
    found.set(key, next);
    const effect = effects.get(String(next.value));
    if (next.status === 'done' || !effect) continue;
    for (const output of answers[effect.source] ?? [])
      open.push(step(machine, next, answered(effect, output)));
    open.push(step(machine, next, broken(effect, new Error('broken'))));
  }
  return [...found.values()];
}

describe.each(specimens.map((specimen) => [specimen.machine.id, specimen] as const))(
  'machine %s',
  (_id, specimen) => {
    const { machine, answers } = specimen;
    const effects = effectsOf(machine);
    const snapshots = walk(specimen);

    it('has specimen results for every effect and for no other actor', () => {
      expect(Object.keys(answers).sort()).toEqual(Object.keys(machine.implementations.actors).sort());
      expect(new Set(effects.map(({ source }) => source))).toEqual(new Set(Object.keys(answers)));
    });

    it('observes first and reaches every state that is not transient', () => {
      const rests = Object.values(machine.states).filter((node) => node.always === undefined);
      expect(machine.config.initial).toBe('observing');
      expect(new Set(snapshots.map(({ value }) => value))).toEqual(new Set(rests.map(({ key }) => key)));
    });

    it("leaves each effect on success, and fails with the effect's message on an error or a timeout", () => {
      for (const snapshot of snapshots) {
        const effect = effects.find(({ state }) => state === snapshot.value);
        if (!effect) continue;
        for (const output of answers[effect.source] ?? []) {
          const next = step(machine, snapshot, answered(effect, output));
          expect([next.value, JSON.stringify(next.context)]).not.toEqual([
            snapshot.value,
            JSON.stringify(snapshot.context),
          ]);
        }
        expect(step(machine, snapshot, broken(effect, new Error('broken'))).output).toEqual({
          outcome: 'failed',
          error: 'broken',
        });
        expect(effect.delays).toHaveLength(1);
        for (const delay of effect.delays)
          expect(step(machine, snapshot, late(machine, effect, delay)).output).toEqual({
            outcome: 'failed',
            error: `timed out in state ${effect.state}`,
          });
      }
    });

    it('fails if an effect throws a value that is not an Error', () => {
      const [first] = snapshots;
      const [effect] = effects;
      if (!first || !effect) expect.unreachable();
      for (const thrown of ['text', null, undefined, '', 0]) {
        const { output } = step(machine, first, broken(effect, thrown));
        expect(output).toMatchObject({ outcome: 'failed' });
        expect(isReconcileOutput(output)).toBe(true);
      }
    });

    it('ends with a valid output, keeps its context plain JSON and is never stuck', () => {
      for (const { status, value, output, context } of snapshots) {
        expect(JSON.parse(JSON.stringify(context))).toEqual(context);
        if (status === 'done') expect(isReconcileOutput(output)).toBe(true);
        else expect(effects.map(({ state }) => state)).toContain(value);
      }
    });

    it('ignores a result that arrives after the end', () => {
      for (const snapshot of snapshots.filter(({ status }) => status === 'done'))
        for (const effect of effects)
          expect(step(machine, snapshot, answered(effect, answers[effect.source]?.[0])).output).toEqual(
            snapshot.output,
          );
    });

    it('fails without unhandled rejections if its effects reject or throw', async () => {
      const rejecting = fromPromise(() => Promise.reject(new Error('rejected')));
      const throwing = fromPromise(() => {
        throw new Error('thrown');
      });
      for (const [logic, error] of [
        [rejecting, 'rejected'],
        [throwing, 'thrown'],
      ] as const) {
        const actors = Object.fromEntries(Object.keys(answers).map((actor) => [actor, logic]));
        const actor = createActor(machine.provide({ actors }), { input });
        actor.start();
        expect(await toPromise(actor)).toEqual({ outcome: 'failed', error });
      }
    });
  },
);
