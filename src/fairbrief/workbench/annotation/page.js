'use strict';
(() => {
  const data = JSON.parse(document.getElementById('data').textContent);
  const at = id => document.getElementById(id);
  const questions = data.cases.flatMap(of => of.items.map(item => ({ of, item })));
  const keyOf = ({ of, item }) => JSON.stringify([item.task, of.record, of.system, item.part, item.check]);
  const place = 'fairbrief ' + data.annotator + ' ' + data.task + ' ' + questions.length + ' ' + questions.map(keyOf).reduce((sum, text) => {
    for (let i = 0; i < text.length; i++) sum = (Math.imul(sum, 31) + text.charCodeAt(i)) | 0;
    return sum;
  }, 7);
  let given = Object.create(null), here = 0, shown = null, name = data.annotator, mayKeep = true;

  const remember = () => {
    if (!mayKeep) return;
    try {
      localStorage.setItem(place, JSON.stringify({ given, here, name }));
      at('kept').textContent = 'Your answers are kept in this browser. Save them as a file when you are done.';
    } catch {
      mayKeep = false;
      at('kept').textContent = 'This browser keeps nothing for this page: save your answers as a file before you close it.';
    }
  };
  try {
    const before = JSON.parse(localStorage.getItem(place) || 'null');
    if (before) {
      given = Object.assign(Object.create(null), before.given);
      here = Math.min(Math.max(0, before.here | 0), Math.max(0, questions.length - 1));
      name = before.name || name;
    }
  } catch { /* no storage, or not ours: begin anew */ }

  const answerOf = question => given[keyOf(question)] || { chosen: [], note: '' };
  const isOpen = question => answerOf(question).chosen.length === 0;
  const make = (tag, text, className) => {
    const element = document.createElement(tag);
    if (text !== undefined) element.textContent = text;
    if (className) element.className = className;
    return element;
  };

  function choose(choice) {
    const question = questions[here], answer = answerOf(question), several = question.item.several;
    const has = answer.chosen.includes(choice);
    let chosen = [choice];
    if (several && choice !== 'none') chosen = has ? answer.chosen.filter(c => c !== choice) : [...answer.chosen.filter(c => c !== 'none'), choice];
    else if (has) chosen = [];
    given[keyOf(question)] = { ...answer, chosen };
    remember();
    show();
  }
  function go(to) {
    here = Math.min(Math.max(0, to), questions.length - 1);
    remember();
    show();
  }
  function goOpen() {
    for (let step = 1; step <= questions.length; step++) {
      const to = (here + step) % questions.length;
      if (isOpen(questions[to])) return go(to);
    }
  }

  function showCase(of) {
    if (shown === of) return;
    shown = of;
    const list = at('documents'), filters = at('filters');
    list.replaceChildren(...of.documents.map(one => {
      const entry = make('li');
      entry.dataset.value = one.value;
      if (one.value) entry.append(make('span', one.value, 'value'));
      entry.append(document.createTextNode(one.text));
      return entry;
    }));
    const values = [...new Set(of.documents.map(one => one.value))].sort();
    const pick = value => {
      for (const entry of list.children) entry.hidden = value !== null && entry.dataset.value !== value;
      for (const button of filters.children) button.setAttribute('aria-pressed', String(button.wanted === value));
    };
    const buttons = values.length > 1 ? [null, ...values] : [];
    filters.replaceChildren(...buttons.map(value => {
      const count = of.documents.filter(one => value === null || one.value === value).length;
      const button = make('button', (value === null ? 'all' : value || 'without') + ' ' + count);
      button.type = 'button';
      button.wanted = value;
      button.addEventListener('click', () => pick(value));
      return button;
    }));
    pick(null);
  }
  function showSummary(of, about) {
    const summary = at('summary'), start = about ? of.summary.indexOf(about) : -1;
    if (start < 0) return summary.replaceChildren(of.summary);
    summary.replaceChildren(of.summary.slice(0, start), make('mark', about), of.summary.slice(start + about.length));
  }
  function show() {
    const done = questions.filter(question => !isOpen(question)).length;
    at('count').textContent = done + ' of ' + questions.length + ' answered';
    at('fill').style.transform = 'scaleX(' + (questions.length ? done / questions.length : 0) + ')';
    const progress = document.querySelector('.progress');
    progress.setAttribute('aria-valuemax', String(questions.length));
    progress.setAttribute('aria-valuenow', String(done));
    if (!questions.length) { at('question').textContent = 'There is nothing to judge here.'; return; }
    const question = questions[here], { of, item } = question, answer = answerOf(question);
    at('place').textContent = 'Question ' + (here + 1) + ' of ' + questions.length + ', case ' + (data.cases.indexOf(of) + 1) + ' of ' + data.cases.length;
    at('question').textContent = item.question;
    at('about').textContent = item.about;
    at('choices').replaceChildren(...item.choices.map((choice, i) => {
      const button = make('button');
      button.type = 'button';
      if (i < 9 && choice !== String(i + 1)) button.append(make('span', String(i + 1), 'key'));
      button.append(choice);
      button.setAttribute('aria-pressed', String(answer.chosen.includes(choice)));
      button.addEventListener('click', () => { choose(choice); at('choices').children[i].focus(); });
      return button;
    }));
    at('note').value = answer.note;
    at('back').disabled = here === 0;
    at('next').disabled = here === questions.length - 1;
    at('open').disabled = done === questions.length;
    showCase(of);
    showSummary(of, item.task === 'claims' ? item.about : '');
  }

  const rows = () => questions.map(question => {
    const answer = answerOf(question), { of, item } = question;
    return { task: item.task, record: of.record, system: of.system, part: item.part, check: item.check, annotator: name.trim(), answer: answer.chosen.join(' | '), note: answer.note };
  });
  const protect = text => /^[=+\-@\t\r']/.test(text) ? "'" + text : text;
  const cell = text => '"' + protect(text).replaceAll('"', '""') + '"';
  function save(kind, text, type) {
    const link = make('a');
    link.href = URL.createObjectURL(new Blob([text], { type }));
    link.download = 'answers ' + data.task + (name.trim() ? ' ' + name.trim().replace(/[^\p{L}\p{N} _-]/gu, '_') : '') + '.' + kind;
    document.body.append(link);
    link.click();
    link.remove();
    setTimeout(() => URL.revokeObjectURL(link.href), 60000);
  }
  at('csv').addEventListener('click', () => {
    const columns = ['task', 'record', 'system', 'part', 'check', 'annotator', 'answer', 'note'];
    save('csv', '\ufeff' + [columns.map(cell), ...rows().map(row => columns.map(column => cell(row[column])))].map(line => line.join(',')).join('\r\n') + '\r\n', 'text/csv');
  });
  at('json').addEventListener('click', () => save('json', JSON.stringify({ fairbrief: 'answers', answers: rows() }, null, 1), 'application/json'));
  at('name').addEventListener('input', event => { name = event.target.value; remember(); });
  at('note').addEventListener('input', event => {
    const question = questions[here];
    given[keyOf(question)] = { ...answerOf(question), note: event.target.value };
    remember();
  });
  at('back').addEventListener('click', () => go(here - 1));
  at('next').addEventListener('click', () => go(here + 1));
  at('open').addEventListener('click', goOpen);
  document.addEventListener('keydown', event => {
    if (event.ctrlKey || event.metaKey || event.altKey || !questions.length) return;
    if (event.target instanceof HTMLInputElement) {
      if (event.key === 'Enter' || event.key === 'Escape') event.target.blur();
      return;
    }
    const onButton = event.target instanceof HTMLButtonElement && !event.target.closest('#choices');
    if (/^[1-9]$/.test(event.key)) {
      const choice = questions[here].item.choices[Number(event.key) - 1];
      if (choice !== undefined) choose(choice);
    } else if (event.key === 'ArrowRight' || (event.key === 'Enter' && !onButton)) go(here + 1);
    else if (event.key === 'ArrowLeft') go(here - 1);
    else if (event.key === 'n' || event.key === 'N') at('note').focus();
    else return;
    event.preventDefault();
  });

  at('title').textContent = data.title;
  at('name').value = name;
  remember();
  show();
})();
