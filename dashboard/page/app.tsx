import { useState } from 'preact/hooks';
import { FailingView } from './attention/failing-view.tsx';
import { ReplayBar } from './parts/replay-bar.tsx';
import { SignIn } from './parts/sign-in.tsx';
import { LifecyclesView } from './lifecycles/view.tsx';
import { type Route, useRoute } from './routes.ts';
import { Search } from './search/search.tsx';
import type { PageSettings } from './settings.ts';
import { currentTheme, toggleTheme } from './theme.ts';
import { ControllerView } from './views/controller.tsx';
import { ExplorerView } from './views/explorer.tsx';
import { KeyView } from './views/key.tsx';
import { OverviewView } from './views/overview.tsx';

const icon = new URL('./icon.svg', import.meta.url).href;

export function App({ settings }: { settings: PageSettings }) {
  const route = useRoute();
  const served = settings.mode === 'live';
  const explores = route.view === 'explorer';
  const isLifecycles = route.view === 'lifecycles';
  return (
    <>
      <a class="skip" href="#main">
        skip to the content
      </a>
      <header class="top">
        <a class="brand" href="#/">
          <img src={icon} alt="" width="26" height="26" /> {settings.product}
        </a>
        <nav aria-label="views">
          <a href="#/" aria-current={explores || isLifecycles ? undefined : 'page'}>
            Controllers
          </a>
          {served && (
            <a href="#/lifecycles" aria-current={isLifecycles ? 'page' : undefined}>
              Lifecycles
            </a>
          )}
          {served && (
            <a href="#/explorer" aria-current={explores ? 'page' : undefined}>
              Explorer
            </a>
          )}
        </nav>
        <span class="spread" />
        <Search settings={settings} />
        <Theme />
        {settings.signsIn && <SignIn />}
      </header>
      {!explores && !isLifecycles && <ReplayBar route={route} live={settings.mode !== 'file'} />}
      <main id="main" tabIndex={-1}>
        <View route={route} settings={settings} />
      </main>
    </>
  );
}

function View({ route, settings }: { route: Route; settings: PageSettings }) {
  switch (route.view) {
    case 'controller':
      return <ControllerView key={route.name} name={route.name} />;
    case 'key':
      return (
        <KeyView
          key={`${route.name} ${route.key}`}
          name={route.name}
          keyName={route.key}
          settings={settings}
        />
      );
    case 'explorer':
      return <ExplorerView settings={settings} resource={route.resource} object={route.object} />;
    case 'lifecycles':
      return <LifecyclesView id={route.id} state={route.state} />;
    case 'failing':
      return <FailingView />;
    case 'overview':
      return <OverviewView />;
  }
}

function Theme() {
  const [theme, show] = useState(currentTheme());
  const other = theme === 'dark' ? 'light' : 'dark';
  return (
    <button type="button" aria-label={`use the ${other} theme`} onClick={() => show(toggleTheme())}>
      {theme === 'dark' ? '☀' : '☾'}
    </button>
  );
}
