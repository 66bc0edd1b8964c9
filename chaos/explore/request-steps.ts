import { type ApiAnswer, type ApiRequest, describeRequest, isWrite } from './api-request.ts';
import { type FaultKind, refusalOf } from './faults.ts';
import { allOf } from './effect-table.ts';
import { createByTime, createMemo } from './memo.ts';
import type { Noted } from './caches.ts';
import { createNumbers } from './text.ts';
import {
  type Local,
  type Step,
  type StepMaking,
  type StepSource,
  describeAnswer,
  withProcess,
} from './step.ts';
import type { OpenRequest, Pass, Process, World } from './world.ts';

const LOST: ApiAnswer = { lost: 'ERR_CONNECTION' };
const REFUSED = { conflict: { refused: refusalOf('conflict') }, error: { refused: refusalOf('error') } };

/** What may become of the requests that the passes of a process wait for. */
export function createRequestSteps({ model, processes, serving, visits }: StepMaking): StepSource<Local> {
  const memos = createByTime(() => createMemo<Process, Noted>());
  const numbers = createNumbers();

  const answered = (local: Local, world: World, at: number, open: OpenRequest, answer: ApiAnswer): World => {
    const { node, nowMs } = local;
    const process = world.processes[node];
    if (!process) return world;
    const key = `${at} ${open.to} ${numbers(answer)}`;
    const { process: next, looked } = memos(nowMs)(process, key, () =>
      processes.noting(() => processes.answer(process, at, open, answer, nowMs)),
    );
    local.looked |= looked;
    return withProcess(world, node, next);
  };

  /** What becomes of a request that a pass waits for. */
  const ends = (local: Local, at: number, pass: Pass, open: OpenRequest): readonly (() => Step)[] => {
    const { world, nowMs, who, may } = local;
    const { request } = open;
    const asker = () => `${who} ${pass.key} [${pass.machine.state}]`;
    const what = () => `${asker()} ${describeRequest(request)}`;
    const { world: after, answer, broken } = serving.serve(world, request, nowMs, model.name);
    visits.ask(pass.machine.state, isWrite(request));
    const strike = (step: Step & { readonly fault: FaultKind }): Step => {
      visits.strike(step.fault, pass.machine.state);
      return step;
    };
    const carriedOut = (): Step => ({
      label: () => `${what()} → ${describeAnswer(answer)}`,
      pass: asker,
      world: answered(local, after, at, open, answer),
      ...(broken ? { broken } : {}),
    });
    const lost = (): Step =>
      strike({
        label: () => `${what()} is carried out, its answer is lost`,
        world: answered(local, after, at, open, LOST),
        fault: 'lost',
        ...(broken ? { broken } : {}),
      });
    const refused = (fault: 'conflict' | 'error') => (): Step =>
      strike({
        label: () => `${what()} is refused (${REFUSED[fault].refused.code})`,
        world: answered(local, world, at, open, REFUSED[fault]),
        fault,
      });
    return [
      carriedOut,
      ...(may('lost') && isWrite(request) && 'ok' in answer ? [lost] : []),
      ...(may('conflict') && isWrite(request) ? [refused('conflict')] : []),
      ...(may('error') ? [refused('error')] : []),
    ];
  };

  return (local, steps) => {
    const ways = local.process.passes.flatMap((pass, at) =>
      pass.open.flatMap((open) => ends(local, at, pass, open)),
    );
    for (const step of allOf(ways)) steps.push(step);
  };
}

/** What passes have sent and wait for. */
export const sentBy = (passes: readonly Pass[]): readonly ApiRequest[] =>
  passes.flatMap(({ open }) => open.map(({ request }) => request));
