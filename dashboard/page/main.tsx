import { render } from 'preact';
import { chartStyle } from '../chart/style.ts';
import { App } from './app.tsx';
import { playServed } from './journal.ts';
import { followNamespace } from './namespace.ts';
import { Problem } from './parts/bits.tsx';
import { loadSettings } from './settings.ts';
import { applyTheme } from './theme.ts';

applyTheme();
followNamespace();
// The charts' style is shared with SVG files, which contain it, so it is not in a style sheet of the page.
const sheet = new CSSStyleSheet();
sheet.replaceSync(chartStyle);
document.adoptedStyleSheets = [sheet];

const root = document.getElementById('app');
if (root !== null) {
  const showProblem = (problem: Error): void =>
    render(
      <main>
        <Problem problem={problem} />
      </main>,
      root,
    );
  void loadSettings(showProblem).then((settings) => {
    render(<App settings={settings} />, root);
    if (settings.mode === 'file') void playServed();
  });
}
