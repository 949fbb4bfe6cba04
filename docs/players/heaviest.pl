#!/usr/bin/env perl
# A player for Boneyard: of the placements with the most points the heaviest tile, and among those any.
# Try it: boneyard seat --matches 10 perl docs/players/heaviest.pl     (docs/reference/player-protocol.md says what the lines mean)
use strict;
use warnings;

$| = 1;    # an answer that waits in a buffer is no answer
while ( my $line = <STDIN> ) {
    my ($type) = $line =~ /^\{"type":"(\w+)"/ or next;
    if ( $type eq 'hello' ) {
        print qq({"protocol":1}\n);
    }
    elsif ( $type eq 'match' ) {
        srand $1 if $line =~ /"luck":(\d+)/;
    }
    elsif ( $type eq 'choose' ) {
        my ($ask)  = $line =~ /"ask":(\d+)/;
        my ($list) = $line =~ /"actions":\[(.*?)\]/;
        my ( $number, $best, @choice ) = ( 0, undef );
        while ( $list =~ /\{(.*?)\}/g ) {    # every action is one flat object
            my $action = $1;
            my ($points) = $action =~ /"points":(-?\d+)/;
            my $pips  = $action =~ /"pips":(\d+)/ ? $1 : 0;
            my $worth = 1000 * $points + $pips;
            @choice = () if !defined $best || $worth > $best;
            $best = $worth if !@choice;
            push @choice, $number if $worth == $best;
            $number++;
        }
        print qq({"ask":$ask,"action":$choice[rand @choice]}\n);
    }
}
