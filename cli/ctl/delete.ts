import { ApiError, isNotFound } from '../../api/status/index.ts';
import { isRecord } from '../../base/collections/index.ts';
import { type FlagValues, UsageError, duration, integer, oneOf, toggle } from '../flags/flags.ts';
import { dryRunFlag, dryRunNote } from './dry-run.ts';
import { pathOf, titleOf } from './resources.ts';
import { type Target, targetFlags, targetsOf } from './targets.ts';
import { type Terminal, describeRefusal } from './terminal.ts';
import { WaitTimeout, waitUntil } from './until.ts';

export const deleteFlags = {
  ...targetFlags,
  'dry-run': dryRunFlag,
  cascade: oneOf(
    ['background', 'foreground', 'orphan', 'true', 'false'],
    'background',
    'handling of dependents: deleted after their owner, before it, or orphaned',
  ),
  'grace-period': integer(-1, 'seconds until an object ends; -1 for its own grace period', {
    min: -1,
    max: 2_147_483_647,
  }),
  now: toggle(false, 'end objects after one second, as --grace-period=1'),
  force: toggle(false, 'end objects at once, as --grace-period=0'),
  'ignore-not-found': toggle(false, 'succeed if an object does not exist'),
  wait: toggle(true, 'return only when the objects are gone, finalizers included'),
  timeout: duration('0s', 'time limit of --wait; 0s for none'),
  output: oneOf(['', 'name'], '', 'output format: name (-o)'),
};

type Flags = FlagValues<typeof deleteFlags>;

const POLICIES: { readonly [cascade in Flags['cascade']]: string } = {
  background: 'Background',
  foreground: 'Foreground',
  orphan: 'Orphan',
  true: 'Background',
  false: 'Orphan',
};

/** Runs `delete TYPE NAME…`, `delete TYPE/NAME…`, `delete TYPE -l SELECTOR`, `delete TYPE --all` and `delete -f FILE`. */
export async function remove(terminal: Terminal, words: readonly string[], flags: Flags): Promise<number> {
  const graceSeconds = graceOf(flags);
  const targets = await targetsOf(terminal, words, flags);
  if (targets.length === 0) terminal.print('No resources found\n');
  const refusals: ApiError[] = [];
  const leaving: (readonly [Target, string])[] = [];
  for (const target of targets) {
    try {
      const uid = await removeOne(terminal, target, flags, graceSeconds);
      terminal.print(
        `${flags.output === 'name' ? titleOf(target.resource, target.name) : sentenceOf(target, flags)}\n`,
      );
      leaving.push([target, uid]);
    } catch (thrown) {
      if (!(thrown instanceof ApiError)) throw thrown;
      const isIgnored = isNotFound(thrown) && (flags['ignore-not-found'] || flags.all);
      if (!isIgnored) refusals.push(thrown);
    }
  }
  if (flags.wait && flags['dry-run'] === 'none') await waitForAll(terminal, leaving, flags.timeout);
  for (const refusal of refusals) terminal.notice(describeRefusal(refusal));
  return refusals.length === 0 ? 0 : 1;
}

function graceOf({ now, force, ...flags }: Flags): number | undefined {
  const given = flags['grace-period'];
  if (now && given !== -1) throw new UsageError('--now and --grace-period cannot be specified together');
  if (given === 0 && !force)
    throw new UsageError('--grace-period=0 needs --force, because objects may keep running');
  return force ? Math.max(0, given) : now ? 1 : given === -1 ? undefined : given;
}

/** Deletes an object and returns the uid that it had, or '' if the server did not return it. */
async function removeOne(
  terminal: Terminal,
  { resource, namespace, name }: Target,
  flags: Flags,
  graceSeconds: number | undefined,
): Promise<string> {
  const path = pathOf(resource, namespace, name);
  if (flags['dry-run'] === 'client') {
    await terminal.ask({ method: 'GET', path });
    return '';
  }
  const answer = await terminal.ask({
    method: 'DELETE',
    path,
    body: {
      kind: 'DeleteOptions',
      apiVersion: 'v1',
      propagationPolicy: POLICIES[flags.cascade],
      ...(graceSeconds !== undefined && { gracePeriodSeconds: graceSeconds }),
      ...(flags['dry-run'] === 'server' && { dryRun: ['All'] }),
    },
  });
  return uidOf(answer);
}

/** Returns the uid in an object, or in the details of a Status. */
function uidOf(answer: unknown): string {
  const { metadata, details } = isRecord(answer) ? answer : {};
  for (const part of [metadata, details])
    if (isRecord(part) && typeof part['uid'] === 'string') return part['uid'];
  return '';
}

function sentenceOf({ resource, name }: Target, { force, ...flags }: Flags): string {
  const { singular, group } = resource;
  const kind = group === '' ? singular : `${singular}.${group}`;
  return `${kind} ${JSON.stringify(name)} ${force ? 'force deleted' : 'deleted'}${dryRunNote(flags['dry-run'])}`;
}

/** Waits until the objects with these uids do not exist. Throws `UsageError` after the time limit. */
async function waitForAll(
  terminal: Terminal,
  leaving: readonly (readonly [Target, string])[],
  limitMs: number,
): Promise<void> {
  const { clock } = terminal;
  const deadlineMs = limitMs === 0 ? Infinity : clock.monotonic() + limitMs;
  for (const [target, uid] of leaving) {
    const isGone = (object: unknown): boolean =>
      object === undefined || (uid !== '' && uidOf(object) !== uid);
    try {
      await waitUntil(terminal, target, isGone, deadlineMs - clock.monotonic());
    } catch (thrown) {
      if (!(thrown instanceof WaitTimeout)) throw thrown;
      throw new UsageError(
        `timed out waiting for ${titleOf(target.resource, target.name)}, which has been marked for deletion`,
      );
    }
  }
}
