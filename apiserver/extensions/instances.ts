import type { AnyKind } from '../../api/kinds/index.ts';
import { isNotFound } from '../../api/status/index.ts';
import { signalOf } from '../../base/async/index.ts';
import { type Clock, sleep } from '../../base/clock/index.ts';
import { messageOf } from '../../base/errors/index.ts';
import { EVERYTHING, PLAIN_DELETION } from '../registry/write/own-requests.ts';
import type { Registry, WriteContext } from '../registry/registry.ts';
import type { Finding } from './conditions.ts';

/** Time in milliseconds that the deletion of all objects may take before the definition reports a failure. */
const DELETION_TIMEOUT_MS = 60_000;
const POLL_MS = 500;

/** Result of `deleteInstances`. */
export interface Emptied {
  readonly finding: Finding;
  readonly done: boolean;
}

/**
 * Deletes all objects of a kind and waits until none exists, including objects with finalizers. Returns the
 * resulting condition.
 */
export async function deleteInstances(
  registry: Registry,
  kind: AnyKind,
  context: WriteContext,
  clock: Clock,
): Promise<Emptied> {
  const objects = registry.of(kind);
  try {
    await objects.deleteCollection(EVERYTHING, PLAIN_DELETION, context);
  } catch (thrown) {
    context.signal.throwIfAborted();
    return failed('InstanceDeletionFailed', `could not issue all deletes: ${messageOf(thrown)}`);
  }
  const deadlineMs = clock.monotonic() + DELETION_TIMEOUT_MS;
  for (;;) {
    const problem = await remaining(objects).catch((thrown: unknown) =>
      isNotFound(thrown) ? undefined : messageOf(thrown),
    );
    if (problem === undefined) return COMPLETED;
    if (clock.monotonic() >= deadlineMs)
      return failed('InstanceDeletionCheck', `could not confirm zero CustomResources remaining: ${problem}`);
    await sleep(clock, POLL_MS, signalOf(context.signal));
  }
}

/** Returns the reason why the deletion is incomplete. Returns undefined if no object is left. */
async function remaining(objects: ReturnType<Registry['of']>): Promise<string | undefined> {
  const { items } = await objects.list({ ...EVERYTHING, limit: 1 });
  return items.length === 0 ? undefined : 'timed out waiting for the condition';
}

const COMPLETED: Emptied = {
  done: true,
  finding: {
    type: 'Terminating',
    status: 'False',
    reason: 'InstanceDeletionCompleted',
    message: 'removed all instances',
  },
};

const failed = (reason: string, message: string): Emptied => ({
  done: false,
  finding: { type: 'Terminating', status: 'True', reason, message },
});
