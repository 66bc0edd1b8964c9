import { type ApiAnswer, type ApiRequest, describeRequest, isWrite } from './api-request.ts';
import { type FaultKind, refusalOf } from './faults.ts';
import { allOf } from './effect-table.ts';
import { createByTime, createMemo } from './memo.ts';
import { isSameProcess } from './change.ts';
import { type Noted, bitOf } from './caches.ts';
import { type Heard, type Hearing, labelled } from './hearing.ts';
import { createNumbers } from './text.ts';
import {
  type Local,
  type Step,
  type StepMaking,
  type StepSource,
  describeAnswer,
  withProcess,
} from './step.ts';
import type { OpenRequest, Reconcile, Process, ModelWorld } from './world.ts';

const LOST: ApiAnswer = { lost: 'ERR_CONNECTION' };
const REFUSED = { conflict: { refused: refusalOf('conflict') }, error: { refused: refusalOf('error') } };

/** Steps in which a process receives the outcome of a request. */
export interface RequestSteps {
  readonly plain: StepSource<Local>;
  /**
   * Adds the outcomes that are different if some pending events are delivered first. `hears` delivers the
   * next event of an informer.
   */
  after(local: Local, heard: readonly Heard[], hears: Hearing['hears'], steps: Step[]): void;
}

/** Outcome of a request, and the caches that the reconcile read after it. */
interface End {
  readonly step: Step;
  readonly looked: number;
}

export function createRequestSteps({ model, processes, serving, visits }: StepMaking): RequestSteps {
  const memos = createByTime(() => createMemo<Process, Noted>());
  const numbers = createNumbers();

  const answered = (local: Local, world: ModelWorld, at: number, open: OpenRequest, answer: ApiAnswer) => {
    const { node, nowMs } = local;
    const process = world.processes[node];
    if (!process) return { world, looked: 0 };
    const key = `${at} ${open.to} ${numbers(answer)}`;
    const { process: next, looked } = memos(nowMs)(process, key, () =>
      processes.noting(() => processes.answer(process, at, open, answer, nowMs)),
    );
    return { world: withProcess(world, node, next), looked };
  };

  /** Returns the possible outcomes of one request in flight. */
  const ends = (
    local: Local,
    at: number,
    reconcile: Reconcile,
    open: OpenRequest,
  ): readonly (() => End)[] => {
    const { world, nowMs, who, may } = local;
    const { request } = open;
    const asker = () => `${who} ${reconcile.key} [${reconcile.machine.state}]`;
    const what = () => `${asker()} ${describeRequest(request)}`;
    const { world: after, answer, broken } = serving.serve(world, request, nowMs, model.name);
    visits.ask(reconcile.machine.state, isWrite(request));
    const carriedOut = (): End => {
      const { world: next, looked } = answered(local, after, at, open, answer);
      const label = () => `${what()} → ${describeAnswer(answer)}`;
      return { step: { label, reconcile: asker, world: next, ...(broken ? { broken } : {}) }, looked };
    };
    const struck = (fault: FaultKind, from: ModelWorld, told: ApiAnswer, how: string): End => {
      const { world: next, looked } = answered(local, from, at, open, told);
      visits.strike(fault, reconcile.machine.state);
      return { step: { label: () => `${what()} ${how}`, world: next, fault }, looked };
    };
    const lost = (): End => {
      const end = struck('lost', after, LOST, 'is carried out, its answer is lost');
      return broken ? { ...end, step: { ...end.step, broken } } : end;
    };
    const refused = (fault: 'conflict' | 'error') => (): End =>
      struck(fault, world, REFUSED[fault], `is refused (${REFUSED[fault].refused.code})`);
    return [
      carriedOut,
      ...(may('lost') && isWrite(request) && 'ok' in answer ? [lost] : []),
      ...(may('conflict') && isWrite(request) ? [refused('conflict')] : []),
      ...(may('error') ? [refused('error')] : []),
    ];
  };
  const endsOf = (local: Local): readonly End[] =>
    allOf(
      local.process.reconciles.flatMap((reconcile, at) =>
        reconcile.open.flatMap((open) => ends(local, at, reconcile, open)),
      ),
    );

  return {
    plain(local, steps) {
      for (const { step, looked } of endsOf(local)) {
        local.looked |= looked;
        steps.push(step);
      }
    },
    after(local, heard, hears, steps) {
      const { world, node, who, nowMs, process } = local;
      // An event is irrelevant if no reconcile reads its cache after a response.
      const isLookedAt = ({ counts }: Heard): boolean =>
        counts.some((count, informer) => count > 0 && (local.looked & bitOf(informer)) !== 0);
      if (process.reconciles.length === 0 || !heard.some(isLookedAt)) return;
      const none = process.views.map(() => 0).join();
      const all = new Map([[none, endsOf(local)]]);
      for (const each of heard) {
        const at = { ...local, process: each.process, world: withProcess(world, node, each.process) };
        all.set(each.counts.join(), endsOf(at));
      }
      /**
       * True if the request leads to the same state when the event is delivered after it instead of before
       * it.
       */
      const isEarly = ({ counts }: Heard, nth: number, { step }: End): boolean =>
        counts.some((count, informer) => {
          if (count === 0) return false;
          const early = all.get(counts.map((each, at) => (at === informer ? each - 1 : each)).join())?.[nth];
          const before = early?.step.world.processes[node];
          const after = step.world.processes[node];
          if (!early || !before || !after) return false;
          if (isSameProcess(before, after)) return true;
          const late = hears(before, informer, nowMs);
          return late !== undefined && isSameProcess(late.process, after);
        });
      for (const each of heard)
        for (const [nth, end] of (all.get(each.counts.join()) ?? []).entries())
          if (!isEarly(each, nth, end))
            steps.push({ ...end.step, label: () => labelled(each, end.step.label(), who) });
    },
  };
}

/** Returns the requests that reconciliations have sent and for which they still wait. */
export const sentBy = (reconciles: readonly Reconcile[]): readonly ApiRequest[] =>
  reconciles.flatMap(({ open }) => open.map(({ request }) => request));
