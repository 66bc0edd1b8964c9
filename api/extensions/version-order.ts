const VERSION = /^v([1-9]\d*)(?:(alpha|beta)([1-9]\d*))?$/;
const STAGES = ['alpha', 'beta', undefined];

/**
 * Compares versions, the highest first: stable, then beta, then alpha, each from high to low (`v10`, `v2`,
 * `v1`, `v3beta1`, `v1alpha2`). All other strings are last, in alphabetical order. Like
 * `CompareKubeAwareVersionStrings` in Kubernetes 1.24.
 */
export function compareVersions(left: string, right: string): number {
  const [one, other] = [VERSION.exec(left), VERSION.exec(right)];
  if (one === null || other === null) {
    if (one !== null || other !== null) return one === null ? 1 : -1;
    return left < right ? -1 : left > right ? 1 : 0;
  }
  return (
    STAGES.indexOf(other[2]) - STAGES.indexOf(one[2]) ||
    Number(other[1]) - Number(one[1]) ||
    Number(other[3] ?? 0) - Number(one[3] ?? 0)
  );
}
