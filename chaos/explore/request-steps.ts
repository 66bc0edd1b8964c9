import { type ApiAnswer, describeRequest, isWrite } from './api-request.ts';
import { refusalOf } from './faults.ts';
import { type Local, type Step, type StepMaking, describeAnswer, withProcess } from './step.ts';
import type { OpenRequest, Pass, World } from './world.ts';

/** What may become of the requests that the passes of a process wait for. */
export function createRequestSteps({ model, processes, serve }: StepMaking): (local: Local) => Step[] {
  /** What becomes of a request that a pass waits for. */
  const ends = (local: Local, at: number, pass: Pass, open: OpenRequest): Step[] => {
    const { world, spent, nowMs, node, who, may } = local;
    const { request } = open;
    const what = `${who} ${pass.key} [${pass.machine.state}] ${describeRequest(request)}`;
    const { world: after, answer, broken } = serve(world, request, nowMs, model.name, node);
    const answered = (base: World, given: ApiAnswer): World => {
      const process = base.processes[node];
      return process ? withProcess(base, node, processes.answer(process, at, open, given, nowMs)) : base;
    };
    const steps: Step[] = [
      {
        label: `${what} → ${describeAnswer(answer)}`,
        world: answered(after, answer),
        ...(broken ? { broken } : {}),
      },
    ];
    if (may('lost') && isWrite(request) && 'ok' in answer)
      steps.push({
        label: `${what} is carried out, its answer is lost`,
        world: answered({ ...after, script: spent.script }, { lost: 'ERR_CONNECTION' }),
        fault: 'lost',
        ...(broken ? { broken } : {}),
      });
    for (const fault of ['conflict', 'error'] as const)
      if (may(fault) && (fault === 'error' || isWrite(request)))
        steps.push({
          label: `${what} is refused (${refusalOf(fault).code})`,
          world: answered(spent, { refused: refusalOf(fault) }),
          fault,
        });
    return steps;
  };

  const passes = (local: Local): Step[] => {
    const { spent, nowMs, node, who, process, may } = local;
    return process.passes.flatMap((pass, at) => {
      const steps = pass.open.flatMap((open) => ends(local, at, pass, open));
      if (may('timeout') && pass.open.length > 0)
        steps.push({
          label: `${who} ${pass.key} [${pass.machine.state}] waits in vain`,
          world: withZombies(withProcess(spent, node, processes.giveUp(process, at, nowMs)), node, [pass]),
          fault: 'timeout',
        });
      return steps;
    });
  };

  return passes;
}

/** What their senders wait for no more. */
export const withZombies = (world: World, node: number, passes: readonly Pass[]): World => {
  const sent = passes.flatMap(({ open }) =>
    open.filter(({ request }) => isWrite(request)).map(({ request }) => ({ node, request })),
  );
  return sent.length === 0 ? world : { ...world, zombies: [...world.zombies, ...sent] };
};
