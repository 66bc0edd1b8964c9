import { type ApiObject, isVirtualSubresource } from '../../../api/kinds/index.ts';
import { cloneJson } from '../../../api/schema/index.ts';
import { methodNotAllowed } from '../../../api/status/index.ts';
import { applyAllDefaults, decodeBody } from './decoding.ts';
import { checkName, placeInNamespace } from './metadata.ts';
import type { WriteContext } from '../registry.ts';
import { dropRepeatedOwners } from './repeated-owners.ts';
import { type Resource, strategyContext } from '../resource.ts';
import { configurationChange } from './configuration-change.ts';
import type { Change, CreateIntent, UpdateIntent, WriteIntent } from './intent.ts';
import { patchChange } from './patch-change.ts';
import { namesVersion } from './prepare.ts';

/** Decodes the body of a request. Throws `ApiError` with code 400, 405, 415 or 422. */
export function changeOf(resource: Resource, intent: WriteIntent, context: WriteContext): Change {
  if (intent.verb === 'create') return createChange(resource, intent, context);
  checkSubresource(resource, intent.subresource, intent.verb);
  if (intent.verb === 'update') return updateChange(resource, intent, context);
  return intent.type === 'application/apply-patch+yaml'
    ? configurationChange(resource, intent, context)
    : patchChange(resource, intent, context);
}

function createChange(resource: Resource, { namespace, body }: CreateIntent, context: WriteContext): Change {
  const decoded = decodeBody(resource, body, context);
  placeInNamespace(resource, decoded, namespace);
  dropRepeatedOwners(decoded, context, '');
  notifyReceived(resource, decoded, context);
  return {
    namespace,
    name: '',
    subresource: '',
    accepts: 'absent',
    // There is only one attempt, so the body need not be copied.
    apply: () => decoded,
    uid: undefined,
    versioned: false,
    tracksFields: false,
  };
}

function updateChange(resource: Resource, intent: UpdateIntent, context: WriteContext): Change {
  const { namespace, name, subresource } = intent;
  const decoded = decodeBody(resource, intent.body, context);
  dropRepeatedOwners(decoded, context, '');
  notifyReceived(resource, decoded, context);
  checkName(decoded, namespace, name);
  placeInNamespace(resource, decoded, namespace);
  return {
    namespace,
    name,
    subresource,
    accepts: resource.policy.createOnUpdate && subresource === '' ? 'either' : 'present',
    apply: () => cloneJson(decoded),
    uid: decoded.metadata?.uid,
    versioned: namesVersion(decoded.metadata?.resourceVersion),
    tracksFields: false,
  };
}

/** Reports the received object to the audit event of the request. */
const notifyReceived = (resource: Resource, object: ApiObject, context: WriteContext): void =>
  context.received?.(object, () => {
    const whole = cloneJson(object);
    applyAllDefaults(resource.kind, whole, strategyContext(resource, context.user));
    return whole;
  });

/**
 * Throws a 405 for a subresource that cannot be written. A subresource with a dedicated kind has been
 * authorized before.
 */
function checkSubresource({ kind }: Resource, subresource: string, verb: 'update' | 'patch'): void {
  if (subresource === '') return;
  const found = Object.hasOwn(kind.subresources, subresource) ? kind.subresources[subresource] : undefined;
  if (found && isVirtualSubresource(found) && found.writes) return;
  if (!found || isVirtualSubresource(found) || !found.verbs.includes(verb)) throw methodNotAllowed();
}
