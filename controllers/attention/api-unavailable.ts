import { apiServices } from '../../api/groups/apiregistration-v1.ts';
import { services } from '../../api/groups/core-v1-service.ts';
import { fromTime } from '../../base/clock/index.ts';
import { nameOf, objectRule } from '../../runtime/index.ts';
import { said } from './certificate-requests.ts';

/** Aggregated API whose server does not respond. */
export const apiUnavailable = objectRule({
  reason: 'api-unavailable',
  controller: 'namespace',
  kind: apiServices,
  follows: true,
  patienceMs: 30_000,
  applies: ({ spec, status }) =>
    spec?.service !== undefined &&
    status?.conditions?.some((each) => each.type === 'Available' && each.status !== 'True') === true,
  find({ metadata, spec, status }, facts) {
    const condition = status?.conditions?.find((each) => each.type === 'Available');
    const { name = '', namespace } = spec?.service ?? {};
    const blocker = facts.linkTo(services, name, namespace);
    return {
      sinceMs: fromTime(condition?.lastTransitionTime),
      blocker,
      sentence: `APIService ${metadata?.name ?? ''} is not available, because ${nameOf(blocker)} does not serve it${said(condition ?? {})}.`,
    };
  },
});
