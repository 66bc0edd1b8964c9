import { isRecord } from '../../base/collections/index.ts';
import { type FlagValues, UsageError, text } from '../flags/flags.ts';
import { findResource, pathOf } from './resources.ts';
import type { Terminal } from './terminal.ts';

export const canIFlags = {
  namespace: text('', 'namespace of the check; default that of the client configuration (-n)'),
  subresource: text('', 'subresource to check, such as log or status'),
};
export const certificateFlags = {
  reason: text('CommandLine', 'short reason of the decision'),
  message: text('', 'message of the decision'),
};

const field = (value: unknown, ...path: readonly string[]): unknown =>
  path.reduce<unknown>((found, name) => (isRecord(found) ? found[name] : undefined), value);

/**
 * Runs `auth can-i VERB TYPE[/NAME]` or `auth can-i VERB /PATH`. Prints yes and returns 0, or prints no and
 * returns 1.
 */
export async function canI(
  terminal: Terminal,
  words: readonly string[],
  flags: FlagValues<typeof canIFlags>,
): Promise<number> {
  const [verb = '', what = '', ...more] = words;
  if (verb === '' || what === '' || more.length > 0)
    throw new UsageError('expected VERB TYPE[/NAME] or VERB /PATH');
  const { vocabulary } = terminal;
  const answer = await terminal.ask({
    method: 'POST',
    path: `/apis/${vocabulary.apiVersion('authorization', 'v1')}/selfsubjectaccessreviews`,
    body: {
      spec: what.startsWith('/')
        ? { nonResourceAttributes: { verb, path: what } }
        : { resourceAttributes: await attributesOf(terminal, verb, what, flags) },
    },
  });
  const isAllowed = field(answer, 'status', 'allowed') === true;
  terminal.print(isAllowed ? 'yes\n' : 'no\n');
  return isAllowed ? 0 : 1;
}

async function attributesOf(
  terminal: Terminal,
  verb: string,
  what: string,
  { namespace, subresource }: FlagValues<typeof canIFlags>,
): Promise<object> {
  const [type = '', name = ''] = what.split('/');
  const { group, version, plural, namespaced } = await terminal.discovery.find((all) =>
    findResource(all, type),
  );
  return {
    verb,
    group,
    version,
    resource: plural,
    subresource,
    name,
    ...(namespaced && { namespace: namespace || terminal.namespace }),
  };
}

/** Runs `auth whoami`, which prints the user as the server identifies it. */
export async function whoAmI(terminal: Terminal): Promise<number> {
  const answer = await terminal.ask({
    method: 'POST',
    path: `/apis/${terminal.vocabulary.apiVersion('authentication', 'v1')}/selfsubjectreviews`,
    body: {},
  });
  const user = field(answer, 'status', 'userInfo');
  const groups = field(user, 'groups');
  terminal.print(`username  ${String(field(user, 'username'))}\n`);
  if (Array.isArray(groups)) terminal.print(`groups    ${groups.join(', ')}\n`);
  return 0;
}

/**
 * Runs `certificate approve NAME…` and `certificate deny NAME…`:
 * https://kubernetes.io/docs/reference/access-authn-authz/certificate-signing-requests/#approval-rejection
 */
export async function decideCertificate(
  terminal: Terminal,
  words: readonly string[],
  type: 'Approved' | 'Denied',
  { reason, message }: FlagValues<typeof certificateFlags>,
): Promise<number> {
  if (words.length === 0) throw new UsageError('expected the names of certificate requests');
  const asked = `certificatesigningrequests.${terminal.vocabulary.group('certificates')}`;
  const resource = await terminal.discovery.find((all) => findResource(all, asked));
  for (const name of words) {
    const path = pathOf(resource, undefined, name);
    const request = await terminal.ask({ method: 'GET', path });
    const known = field(request, 'status', 'conditions');
    const conditions = [...(Array.isArray(known) ? known : []), { type, status: 'True', reason, message }];
    if (!isRecord(request)) throw new Error(`the response to ${path} is no object`);
    const status = isRecord(request['status']) ? request['status'] : {};
    const body = { ...request, status: { ...status, conditions } };
    await terminal.ask({ method: 'PUT', path: `${path}/approval`, body });
    terminal.print(`${resource.singular}.${resource.group}/${name} ${type.toLowerCase()}\n`);
  }
  return 0;
}
