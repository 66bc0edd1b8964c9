import { type ApiAnswer, type ApiRequest, describeRequest, isWrite } from './api-request.ts';
import { type FaultKind, refusalOf } from './faults.ts';
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
  const ends = (local: Local, at: number, pass: Pass, open: OpenRequest, steps: Step[]): void => {
    const { world, nowMs, who, may } = local;
    const { request } = open;
    const asker = () => `${who} ${pass.key} [${pass.machine.state}]`;
    const what = () => `${asker()} ${describeRequest(request)}`;
    const { world: after, answer, broken } = serving.serve(world, request, nowMs, model.name);
    steps.push({
      label: () => `${what()} → ${describeAnswer(answer)}`,
      pass: asker,
      world: answered(local, after, at, open, answer),
      ...(broken ? { broken } : {}),
    });
    visits.ask(pass.machine.state, isWrite(request));
    if (local.faultsLeft === 0) return;
    const strike = (step: Step & { readonly fault: FaultKind }): void => {
      visits.strike(step.fault, pass.machine.state);
      steps.push(step);
    };
    if (may('lost') && isWrite(request) && 'ok' in answer)
      strike({
        label: () => `${what()} is carried out, its answer is lost`,
        world: answered(local, after, at, open, LOST),
        fault: 'lost',
        ...(broken ? { broken } : {}),
      });
    for (const fault of ['conflict', 'error'] as const)
      if (may(fault) && (fault === 'error' || isWrite(request)))
        strike({
          label: () => `${what()} is refused (${REFUSED[fault].refused.code})`,
          world: answered(local, world, at, open, REFUSED[fault]),
          fault,
        });
  };

  return (local, steps) => {
    for (const [at, pass] of local.process.passes.entries())
      for (const open of pass.open) ends(local, at, pass, open, steps);
  };
}

/** What passes have sent and wait for. */
export const sentBy = (passes: readonly Pass[]): readonly ApiRequest[] =>
  passes.flatMap(({ open }) => open.map(({ request }) => request));
