import type { AnyKind, Deprecation, Scheme } from '../../../api/kinds/index.ts';
import type { Metrics } from '../../../base/metrics/index.ts';
import type { Stage } from '../pipeline.ts';

/**
 * Creates the stage that warns clients that use a deprecated version, and sets the metric for that version
 * (https://kubernetes.io/docs/reference/using-api/deprecation-policy/).
 */
export function createDeprecation({ scheme, metrics }: { scheme: Scheme; metrics: Metrics }): Stage {
  const requested = metrics.gauge(
    'apiserver_requested_deprecated_apis',
    'Gauge of deprecated APIs that have been requested, broken out by API group, version, resource, subresource, and removed_release.',
    ['group', 'version', 'resource', 'subresource', 'removed_release'],
    { stability: 'STABLE' },
  );
  const { groupSuffix } = scheme.vocabulary;
  return {
    name: 'deprecation',
    run(context, next) {
      const { kind, info } = context;
      if (kind?.deprecated === undefined) return next(context);
      const subresource = Object.hasOwn(kind.subresources, info.subresource) ? info.subresource : '';
      const { removedRelease = '' } = kind.deprecated;
      requested.at(info.group, info.version, info.resource, subresource, removedRelease).set(1);
      context.warnings.push(warningOf(scheme, kind, kind.deprecated));
      context.audit.annotate(`${groupSuffix}/deprecated`, 'true');
      if (removedRelease !== '') context.audit.annotate(`${groupSuffix}/removed-release`, removedRelease);
      return next(context);
    },
  };
}

/**
 * Returns upstream's warning: `batch/v1beta1 CronJob is deprecated in v1.21+, unavailable in v1.25+; use batch/v1
 * CronJob`.
 */
function warningOf(
  scheme: Scheme,
  kind: AnyKind,
  { warning, since, removedRelease, replacement }: Deprecation,
): string {
  if (warning !== undefined) return warning;
  const use =
    replacement === undefined ? '' : `; use ${scheme.apiVersionOf(replacement)} ${replacement.kind}`;
  const removal = removedRelease === undefined ? '' : `, unavailable in v${removedRelease}+`;
  return `${scheme.apiVersionOf(kind)} ${kind.kind} is deprecated in v${since}+${removal}${use}`;
}
