"""Given names that are common somewhere and absent from the lists of the United States census."""

from __future__ import annotations

import unicodedata

_NAMES = (
    # Europe
    "aleksandr alexei andrei anatoly arkady boris dmitri dmitry evgeny fyodor gennady georgi grigory igor ilya kirill "
    "konstantin leonid maksim mikhail nikita nikolai oleg pavel pyotr ruslan sergei sergey stanislav svetlana tatiana "
    "vadim valentin vasily viktor vitaly vladimir vladislav volodymyr vyacheslav yegor yevgeny yulia yuri zoya ekaterina "
    "andrzej bogdan bronislaw czeslaw jaroslaw jerzy kazimierz krzysztof lech marek mateusz mieczyslaw piotr slawomir "
    "tomasz wojciech zbigniew agnieszka malgorzata miroslav radoslaw vaclav zdenek milos milan slobodan zoran dragan goran "
    "ante josip luka marko matej novak nenad vuk zlatan ivica ferenc gyorgy imre istvan laszlo matyas sandor viktor zoltan "
    "andreas dieter dietrich erich ernst friedrich gerhard gottfried günter günther gustav heinrich helmut hermann horst "
    "joachim jörg jürgen klaus konrad lothar ludwig manfred matthias olaf reinhard rainer rudi ruprecht siegfried ulrich "
    "uwe volker walther werner wilhelm wim wolfgang anneliese gertrud ursula ingeborg elfriede annegret "
    "alain antoine auguste benoît camille clément didier édouard emmanuel étienne évariste fabrice françois gaspard "
    "gérard gérald gilles guillaume gustave hervé honoré jacques jérôme joël laurent luc lucien marcel mathieu maurice "
    "michel nicolas olivier patrice philippe pierre raphaël rené sébastien siméon stéphane sylvain thibaut thierry yann yannick "
    "yves zinedine aurélie brigitte chantal élodie françoise geneviève hélène isabelle jacqueline ségolène simone sylvie "
    "alessandro andrea antonio benito carlo claudio davide enrico enzo fabio federico francesco gianluca gianni giorgio "
    "giovanni giulio giuseppe luca luigi marcello massimo matteo maurizio nunzio paolo pier piero pietro roberto romano "
    "sandro sergio silvio stefano tiziano umberto vincenzo vittorio chiara elisabetta federica francesca giorgia giulia "
    "ludovica michela stefania michelangelo leonardo alejandro álvaro andrés ángel césar diego emilio enrique ernesto "
    "esteban federico felipe fernando gonzalo guillermo gustavo hernán hugo ignacio iñigo javier joaquín josé juan julián "
    "leopoldo luis manuel mariano matías miguel néstor nicolás octavio pablo pedro rafael ramón raúl ricardo rodrigo "
    "rubén santiago sebastián simón tomás vicente xavier augusto dilma fabiana inácio joão jorge luiz manoel "
    "paulo thiago vasco zeca anders bjørn bjorn carl erik fredrik gunnar håkan henrik ingmar ingrid jens johan jonas jørgen "
    "kristian lars leif magnus mads mikael nils oluf per rasmus stieg søren sven thorbjørn torsten aki arto jari jukka "
    "kimi matti mika paavo pekka sauli tarja timo urho axel bart daan dries frans geert gerrit hendrik jan jeroen joost "
    "kees koen maarten marijn niels pieter ruud sander sjoerd wouter wim romelu toby jensen aleksandar alexis "
    "andreas christos dimitris giannis georgios konstantinos kostas kyriakos nikos panagiotis stavros vassilis yanis "
    "aoife ciara ciarán colm conor cormac declan diarmuid eamon eoin fergus gráinne liam niall oisín padraig ruairi saoirse "
    "seán seamus siobhán alasdair angus callum ewan fiona hamish iain rhys dafydd gareth nigel clive graham "
    # Asia, Africa, Oceania
    "abdel abdul abdullah ahmad ahmed ali alireza amir amneh anwar ayman bashar bilal faisal farid fatima fayez ferjani "
    "habib hafez hamid hamza hasan hassan hosni hussein ibrahim imran ismail jamal kamal karim khaled khalid mahmoud "
    "mahmud mehdi mohamed mohammad mohammed mouez muammar muhammad mustafa nabil nacer nadia naguib nasser omar osama "
    "qasem rafiq rashid rodaba saad saddam said salah salman samir sehar selim shirin tariq wael yasser yousef yusuf zahra "
    "zaha zayn zeinab hamad ehud ariel avi aner benny binyamin chaim david efraim eli gideon golda moshe naftali "
    "natan noam shimon shlomo tzipi uri yair yitzhak yigal zvi aishwarya ajay amartya amit amitabh anand anil anita "
    "arjun arun arvind ashok deepak dev gopal indira jawaharlal kiran krishna lakshmi lalit mahatma manmohan mukesh narendra "
    "nirmala pradeep pranab prakash pratibha priyanka rahul raj rajiv rajesh ramesh ranjit ravi sachin sandeep sanjay sanjeev "
    "sharmila shashi sonia srinivasa subhas sunil suresh sushma uday vijay vikram vinod zakir benazir nawaz pervez zulfikar "
    "akihito akira akio fumio haruki haruto hayao hideki hideo hirohito hiroshi ichiro isamu junichiro kazuo keiko kenji kenzo "
    "koichi makoto masahiro masayoshi naomi naoto naruhito natsuo noboru osamu satoshi shigeru shinji shinzo shohei soichiro "
    "takashi takeshi taro tetsuo toshio yasuhiro yasujiro yasunari yoko yoshihide yoshio yuki yukio yuko yuriko aung corazon "
    "ferdinand imelda joko megawati mahathir najib prayut rodrigo suharto sukarno thaksin yingluck abebe achebe adebayo "
    "akon amadou aminata boutros chinua chimamanda chukwu cyril desmond ellen emeka fela goodluck haile jomo julius kofi "
    "kwame laurent leymah mobutu mwai nana nelson ngozi nkosazana nnamdi obi olusegun oluwaseun patrice paul robert "
    "sadio samora samuel sani thabo thomas uhuru wangari winnie wole yaya yoweri jacinda enver"
)  # fmt: skip


def _plain(word: str) -> str:
    """The word without accents: François is written Francois, too."""
    return "".join(c for c in unicodedata.normalize("NFD", word) if not unicodedata.combining(c))


WORLD_GIVEN_NAMES = frozenset(form for name in _NAMES.split() for form in (name, _plain(name)))
"""Lower-case, with and without accents."""
